//===- Mirror.cpp - copies of records on other servers --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/job/control/Mirror.h"

#include "runtime/core/Memory.h"

#include <cstddef>
#include <cstring>

namespace blink::runtime {
namespace {

struct Change {
  uint64_t value;
  uint64_t word;
};

void append(std::string &text, size_t word, uint64_t value) {
  const Change change{value, word};
  text.append(reinterpret_cast<const char *>(&change), sizeof(change));
}

/// Calls `function` for each change. Returns false if the text is not a list of
/// changes.
template <typename Function>
bool forEach(std::string_view text, const Function &function) {
  if (text.size() % sizeof(Change) != 0)
    return false;
  for (size_t at = 0; at < text.size(); at += sizeof(Change)) {
    Change change;
    std::memcpy(&change, text.data() + at, sizeof(change));
    if (!function(change))
      return false;
  }
  return true;
}

} // namespace

uint64_t *MirroredWords::at(size_t word) const {
  if (word < data.size())
    return data[word];
  word -= data.size();
  return word < calls.size() ? calls[word] : flags[word - calls.size()];
}

std::string MirroredState::changes(const MirroredWords &words, bool all) {
  std::vector<uint64_t> now(words.size());
  const size_t callsBegin = words.data.size();
  const size_t flagsBegin = callsBegin + words.calls.size();
  // Acquire, read before the rest, the last flag first: what a flag publishes,
  // including the flags before it, is then read after the flag.
  for (size_t w = now.size(); w-- > flagsBegin;)
    now[w] = loadAcquire(words.at(w));
  for (size_t w = 0; w < flagsBegin; ++w)
    now[w] = loadRelaxed(words.at(w));
  resize(now.size());
  const std::vector<uint64_t> calls(now.begin() + std::ptrdiff_t(callsBegin),
                                    now.begin() + std::ptrdiff_t(flagsBegin));
  // The calls count also if a flag has changed: a rank that publishes
  // something, for example that it leaves, may have called before.
  bool stands = all || repeats_ || calls == lastCalls_;
  for (size_t w = flagsBegin; w < now.size(); ++w)
    stands |= now[w] != told_[w];
  lastCalls_ = calls;
  std::string text;
  for (size_t w = 0; w < now.size(); ++w) {
    if (now[w] == told_[w] && !(repeats_ && reported_[w]))
      continue;
    if (!stands && w >= callsBegin && w < flagsBegin)
      continue;
    append(text, w, now[w]);
    told_[w] = now[w];
    reported_[w] = true;
  }
  repeats_ = false;
  return text;
}

std::string MirroredState::whole() const {
  std::string text;
  for (size_t w = 0; w < told_.size(); ++w)
    if (reported_[w])
      append(text, w, told_[w]);
  return text;
}

bool MirroredState::take(std::string_view changes) {
  constexpr uint64_t kMostWords = 1 << 16;
  return forEach(changes, [this](const Change &change) {
    if (change.word >= kMostWords)
      return false;
    if (change.word >= told_.size())
      resize(change.word + 1);
    told_[change.word] = change.value;
    reported_[change.word] = true;
    return true;
  });
}

bool MirroredState::write(std::string_view changes,
                          const MirroredWords &words) {
  return forEach(changes, [&](const Change &change) {
    if (change.word >= words.size())
      return false;
    // Release: publishes all words before it.
    storeRelease(words.at(change.word), change.value);
    return true;
  });
}

} // namespace blink::runtime
