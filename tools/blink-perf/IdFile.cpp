//===- IdFile.cpp - a job's id, from rank 0 to the others by files --------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blink-perf/IdFile.h"

#include "schedules/Text.h"
#include "tools/blink-perf/Options.h"
#include "tools/blink-perf/OutputFile.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <stdexcept>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace blink::perf {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kPause = std::chrono::milliseconds(2);

/// Digits of the random number with which a rank asks.
constexpr size_t kNumberSize = 32;

/// More than an answer to 65535 ranks has.
constexpr off_t kMostAnswerBytes = 4 << 20;

std::string questionOf(const std::string &path, int rank) {
  return path + ".rank" + std::to_string(rank);
}

/// Returns "" if the file does not exist.
std::string contentOf(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string drawNumber() {
  std::random_device source;
  std::string number;
  while (number.size() < kNumberSize) {
    char word[9];
    std::snprintf(word, sizeof word, "%08x", unsigned(source()));
    number += word;
  }
  return number;
}

/// The content of an answer: the id's bytes, then a line "3 NUMBER" for each
/// rank that has asked.
struct Answer {
  static std::string write(const blinkUniqueId &id,
                           const std::map<int, std::string> &asked) {
    std::string text(id.internal, sizeof id.internal);
    for (const auto &[rank, number] : asked)
      text += textOf("\n", rank, " ", number);
    return text + "\n";
  }
  static bool read(const std::string &text, int rank, const std::string &number,
                   blinkUniqueId &id) {
    if (text.size() < sizeof id.internal ||
        text.find(textOf("\n", rank, " ", number, "\n"), sizeof id.internal) ==
            std::string::npos)
      return false;
    std::memcpy(id.internal, text.data(), sizeof id.internal);
    return true;
  }
  /// Returns true if `text` may be an answer left by a run that died.
  static bool mayBe(const std::string &text) {
    constexpr size_t kLines = sizeof blinkUniqueId::internal;
    return text.empty() ||
           (text.size() > kLines && text[kLines] == '\n' &&
            text.find_first_not_of("0123456789abcdef \n", kLines) ==
                std::string::npos);
  }
};

/// Returns true if `text` may be a question left by a run that died.
bool mayBeQuestion(const std::string &text) {
  return text.size() <= kNumberSize &&
         text.find_first_not_of("0123456789abcdef\n") == std::string::npos;
}

/// Returns true if there is something at `path` that no run has left: not a
/// regular file (also a symbolic link, as none is ever made), a file that
/// cannot be read, or one whose content `mayBeOurs` denies.
bool isOther(const std::string &path,
             bool (*mayBeOurs)(const std::string &text)) {
  struct stat status;
  if (lstat(path.c_str(), &status) != 0)
    return false;
  // A run that ends just now removes its files: what is gone is no obstacle.
  return !S_ISREG(status.st_mode) || status.st_size > kMostAnswerBytes ||
         (access(path.c_str(), R_OK) != 0 && errno != ENOENT) ||
         !mayBeOurs(contentOf(path));
}

/// Removes a file when it leaves its scope.
struct Removed {
  const std::string path;
  ~Removed() { unlink(path.c_str()); }
};

void answer(const std::string &path, int ranks, Clock::time_point end,
            int timeoutMs, const blinkUniqueId &id) {
  const Removed file{path};
  std::map<int, std::string> asked; ///< the number of each rank that asked
  std::vector<int> left;            ///< ranks yet to ask or to see the answer
  for (;;) {
    bool changed = false;
    left.clear();
    for (int rank = 1; rank < ranks; ++rank) {
      const std::string number = contentOf(questionOf(path, rank));
      if (!number.empty() && asked[rank] != number) {
        asked[rank] = number;
        changed = true;
      }
      if (!number.empty() || asked[rank].empty())
        left.push_back(rank);
    }
    if (left.empty())
      return;
    if (changed)
      writeFile(path, Answer::write(id, asked), sched::FileAccess::secret);
    if (Clock::now() > end)
      throw std::runtime_error(
          textOf(path, ": no rank ", joined(left), " in ", timeoutMs,
                 " ms; all ", ranks,
                 " ranks need the same --id-file, on a "
                 "file system that they share (--timeout)"));
    std::this_thread::sleep_for(kPause);
  }
}

void ask(const std::string &path, int rank, Clock::time_point end,
         int timeoutMs, blinkUniqueId &id) {
  const std::string number = drawNumber();
  const Removed file{questionOf(path, rank)};
  writeFile(file.path, number, sched::FileAccess::secret);
  while (!Answer::read(contentOf(path), rank, number, id)) {
    if (Clock::now() > end)
      throw std::runtime_error(
          textOf(path, ": no answer of rank 0 in ", timeoutMs,
                 " ms; all ranks "
                 "need the same --id-file, on a file system that they share "
                 "(--timeout)"));
    std::this_thread::sleep_for(kPause);
  }
}

} // namespace

void checkIdFile(const std::string &path) {
  if (isOther(path, Answer::mayBe))
    throw UsageError(
        "--id-file: ", path,
        " exists and is not the id of a job; it would be "
        "replaced and removed, so name a file that does not exist");
}

void checkQuestions(const std::string &path, int rank, int ranks) {
  // Rank 0 only reads the questions, but it would wait in that of a pipe.
  const int first = rank == 0 ? 1 : rank, end = rank == 0 ? ranks : rank + 1;
  for (int asks = first; asks < end; ++asks)
    if (const std::string question = questionOf(path, asks);
        isOther(question, mayBeQuestion))
      throw UsageError("--id-file: rank ", asks, " needs the file ", question,
                       ", which exists and is not of an earlier run; it would "
                       "be replaced and removed, so give all ranks another "
                       "--id-file");
}

void shareId(const std::string &path, int rank, int ranks, int timeoutMs,
             blinkUniqueId &id) {
  const auto end = Clock::now() + std::chrono::milliseconds(timeoutMs);
  if (rank == 0)
    answer(path, ranks, end, timeoutMs, id);
  else
    ask(path, rank, end, timeoutMs, id);
}

} // namespace blink::perf
