//===- Mirror.h - copies of records on other servers ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Each server of a job has memory of its own with the records of all ranks
// (job/JobMemory.h). Every word of a record has one writer, its rank; on other
// servers the word is a copy that a mirror keeps. Words that publish others
// (flags) are read before all the others, the last flag first, and written
// after them, in their order. A copy of a flag therefore never says more than
// the words that it publishes.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_JOB_CONTROL_MIRROR_H
#define BLINK_RUNTIME_JOB_CONTROL_MIRROR_H

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace blink::runtime {

/// The words of one rank's records, in an order that is the same in all
/// processes.
struct MirroredWords {
  std::vector<uint64_t *> data;
  /// Words that change with every call and that only messages need; copied once
  /// they have not changed for a moment.
  std::vector<uint64_t *> calls;
  /// Publish the other words; each also publishes the flags before it.
  std::vector<uint64_t *> flags;

  size_t size() const { return data.size() + calls.size() + flags.size(); }
  uint64_t *at(size_t word) const;
};

/// Finds the words of a rank; on demand, because a process needs those of only
/// few ranks.
using FindWords = std::function<MirroredWords(int rank)>;

/// One rank's words as last reported: zero at first, like the memory. Changes
/// are in the order of the words. A word that was ever reported belongs to what
/// follows even if it is zero again: a copy elsewhere may still have its former
/// value.
class MirroredState {
public:
  /// Reads the words of a rank of this process. Returns the changes since the
  /// last time as a text, "" if there are none. `all`: includes the calls even
  /// if they are just changing.
  std::string changes(const MirroredWords &words, bool all);
  /// Returns all words that were ever reported, as such a text.
  std::string whole() const;
  /// Takes such a text. Returns false if it is not one.
  bool take(std::string_view changes);
  /// Writes such a text to the words.
  static bool write(std::string_view changes, const MirroredWords &words);
  /// Lets the next changes also report all words that were ever reported.
  void repeat() { repeats_ = true; }

private:
  void resize(size_t words) {
    told_.resize(words);
    reported_.resize(words);
  }

  std::vector<uint64_t> told_;
  std::vector<bool> reported_;
  bool repeats_ = false;
  std::vector<uint64_t> lastCalls_;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_CONTROL_MIRROR_H
