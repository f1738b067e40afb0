//===- AllocationList.cpp - lists of allocations --------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Enumerates sets of GPUs and reads them from a text.
//
//===----------------------------------------------------------------------===//

#include "compiler/topology/AllocationList.h"
#include "compiler/support/Error.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

using namespace blink;

using Allocations = std::vector<std::vector<int>>;

/// Counts the sets of `size` of `numGpus` GPUs, up to kMostAllocations + 1.
static uint64_t countSets(int numGpus, int size) {
  size = std::min(size, numGpus - size);
  uint64_t count = 1;
  // Each quotient is a binomial coefficient, and the coefficients grow with
  // `chosen`. numGpus < 2^31 times count <= 2^20 does not overflow.
  for (int chosen = 1; chosen <= size && count <= kMostAllocations; ++chosen)
    count = count * uint64_t(numGpus - size + chosen) / uint64_t(chosen);
  return std::min(count, kMostAllocations + 1);
}

llvm::Expected<Allocations>
blink::enumerateAllocations(int numGpus, int minSize, int maxSize) {
  if (numGpus < 1)
    return makeError("a machine without a GPU has no allocation");
  if (minSize < 1 || minSize > maxSize || maxSize > numGpus)
    return makeError("allocations of " + llvm::Twine(minSize) + " to " +
                     llvm::Twine(maxSize) + " GPUs; expected sizes from 1 to " +
                     llvm::Twine(numGpus) + ", the smaller one first");
  uint64_t count = 0;
  for (int size = minSize; size <= maxSize && count <= kMostAllocations; ++size)
    count += countSets(numGpus, size);
  if (count > kMostAllocations)
    return makeError("there are more than " + llvm::Twine(kMostAllocations) +
                     " allocations of " + llvm::Twine(minSize) + " to " +
                     llvm::Twine(maxSize) + " of " + llvm::Twine(numGpus) +
                     " GPUs; name fewer sizes, or list the allocations that "
                     "jobs really get");

  Allocations allocations;
  allocations.reserve(count);
  for (int size = minSize; size <= maxSize; ++size) {
    std::vector<int> gpus(size);
    std::iota(gpus.begin(), gpus.end(), 0);
    while (true) {
      allocations.push_back(gpus);
      // The next set: the last GPU that can grow grows, and the GPUs behind it
      // follow it directly.
      int at = size - 1;
      while (at >= 0 && gpus[at] == numGpus - size + at)
        --at;
      if (at < 0)
        break;
      std::iota(gpus.begin() + at, gpus.end(), gpus[at] + 1);
    }
  }
  return allocations;
}

namespace {

/// Reads the text from front to back.
class Parser {
public:
  Parser(llvm::StringRef text, int numGpus) : text_(text), numGpus_(numGpus) {}

  llvm::Expected<Allocations> parse();

private:
  /// Returns the error "'0,x' at character 3: what". Of a text longer than 80
  /// characters, only the part around `at` is quoted.
  llvm::Error error(size_t at, const llvm::Twine &what) const {
    constexpr size_t kMostQuoted = 80;
    const bool isLong = text_.size() > kMostQuoted;
    const size_t begin = isLong ? at - std::min(at, kMostQuoted / 2) : 0;
    return makeError((begin > 0 ? "'..." : "'") +
                     text_.substr(begin, kMostQuoted) +
                     (begin + kMostQuoted < text_.size() ? "...'" : "'") +
                     " at character " + llvm::Twine(at + 1) + ": " + what);
  }
  void skipSpaces() {
    while (at_ < text_.size() && llvm::isSpace(text_[at_]))
      ++at_;
  }
  bool accept(char symbol) {
    skipSpaces();
    if (at_ == text_.size() || text_[at_] != symbol)
      return false;
    ++at_;
    return true;
  }
  /// Returns the next character in quotes, or "the end", for messages.
  std::string found() const {
    return at_ == text_.size() ? "the end"
                               : ("'" + text_.substr(at_, 1) + "'").str();
  }
  llvm::Expected<int> number(const char *meaning);
  /// Returns all sets of these sizes; errors point at `begin`, where the text
  /// asks for them.
  llvm::Expected<Allocations> enumerate(int minSize, int maxSize,
                                        size_t begin) const {
    auto all = enumerateAllocations(numGpus_, minSize, maxSize);
    if (!all)
      return error(begin, llvm::toString(all.takeError()));
    return all;
  }
  llvm::Expected<Allocations> sizes(int minSize, size_t begin);
  llvm::Expected<Allocations> part(size_t begin, bool isFirst);

  llvm::StringRef text_;
  int numGpus_;
  size_t at_ = 0;
};

} // namespace

/// Reads a number. A number that does not fit an int is returned as the largest
/// int, which the caller refuses because no machine has so many GPUs.
llvm::Expected<int> Parser::number(const char *meaning) {
  skipSpaces();
  llvm::StringRef digits = text_.substr(at_).take_while(llvm::isDigit);
  if (digits.empty())
    return error(at_, "found " + found() + ", expected " + meaning);
  at_ += digits.size();
  int value;
  return digits.getAsInteger(10, value) ? std::numeric_limits<int>::max()
                                        : value;
}

/// Reads the rest of "2-4" after the dash.
llvm::Expected<Allocations> Parser::sizes(int minSize, size_t begin) {
  llvm::Expected<int> maxSize = number("the largest number of GPUs");
  if (!maxSize)
    return maxSize.takeError();
  skipSpaces();
  if (at_ < text_.size() && text_[at_] != '/')
    return error(at_, "found " + found() +
                          " after sizes; expected '/' and more of them, or a "
                          "set of GPUs with each GPU named, as in 2-3/4,5,6,7");
  return enumerate(minSize, *maxSize, begin);
}

/// Reads the text between two slashes: sizes, or one set.
llvm::Expected<Allocations> Parser::part(size_t begin, bool isFirst) {
  std::vector<int> gpus;
  do {
    skipSpaces();
    size_t place = at_;
    llvm::Expected<int> gpu =
        number(isFirst && gpus.empty()
                   ? "'all', sizes as in 2-4, or sets of GPUs as in 0,1/4,5,6,7"
                   : "a GPU's number");
    if (!gpu)
      return gpu.takeError();
    if (gpus.empty() && accept('-'))
      return sizes(*gpu, begin);
    if (*gpu >= numGpus_)
      return error(place, "there is no such GPU; the machine has GPUs 0 to " +
                              llvm::Twine(numGpus_ - 1));
    if (std::find(gpus.begin(), gpus.end(), *gpu) != gpus.end())
      return error(place, "GPU " + llvm::Twine(*gpu) +
                              " is already in this set; name each once");
    gpus.push_back(*gpu);
  } while (accept(','));
  std::sort(gpus.begin(), gpus.end());
  return Allocations{std::move(gpus)};
}

llvm::Expected<Allocations> Parser::parse() {
  if (numGpus_ < 1)
    return makeError("a machine without a GPU has no allocation");
  skipSpaces();
  size_t begin = at_;
  if (text_.trim() == "all")
    return enumerate(std::min(2, numGpus_), numGpus_, begin);

  Allocations allocations;
  std::map<std::vector<int>, size_t> beginOf; // per set, in the text
  do {
    skipSpaces();
    begin = at_;
    llvm::Expected<Allocations> sets = part(begin, allocations.empty());
    if (!sets)
      return sets.takeError();
    if (allocations.size() + sets->size() > kMostAllocations)
      return error(begin, "there are more than " +
                              llvm::Twine(kMostAllocations) +
                              " allocations up to here; name fewer sizes");
    for (std::vector<int> &gpus : *sets) {
      auto [other, isNew] = beginOf.try_emplace(gpus, begin);
      if (!isNew)
        return error(begin, "the same GPUs as at character " +
                                llvm::Twine(other->second + 1) +
                                "; list each set once");
      allocations.push_back(std::move(gpus));
    }
  } while (accept('/'));
  if (at_ < text_.size())
    return error(at_, "found " + found() +
                          ", expected ',' and another GPU or '/' and another "
                          "set");
  return allocations;
}

llvm::Expected<Allocations> blink::parseAllocations(llvm::StringRef text,
                                                    int numGpus) {
  return Parser(text, numGpus).parse();
}

std::string blink::formatGpus(const std::vector<int> &gpus) {
  constexpr size_t kMostListed = 16;
  std::vector<std::string> words;
  for (size_t begin = 0, end; begin < gpus.size(); begin = end) {
    end = begin + 1;
    while (gpus.size() > kMostListed && end < gpus.size() &&
           gpus[end] == gpus[end - 1] + 1)
      ++end;
    words.push_back(std::to_string(gpus[begin]));
    if (end - begin > 1)
      words.back() += "-" + std::to_string(gpus[end - 1]);
  }
  return llvm::join(words, ",");
}
