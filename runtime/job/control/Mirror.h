//===- Mirror.h - a rank's records in the memory of others ------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Each server of a job has memory of its own with the records of all ranks
// (job/JobMemory.h). Every word of a record has one writer, its rank; on other
// servers it is a copy, which a mirror keeps. Words that publish others are
// read first, the last one at the very first, and written last, in their order:
// a copy never says more than is there.
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

/// The words of one rank's records, in an order that all processes have alike.
struct MirroredWords {
  std::vector<uint64_t *> data;
  /// What changes with every call and only messages need: copied when it has
  /// not changed for a moment.
  std::vector<uint64_t *> calls;
  /// Publish the others, and each the flags before it.
  std::vector<uint64_t *> flags;

  size_t size() const { return data.size() + calls.size() + flags.size(); }
  uint64_t *at(size_t word) const;
};

/// Finds the words of a rank, in memory of which each process needs those of
/// few ranks.
using FindWords = std::function<MirroredWords(int rank)>;

/// One rank's words as somebody has last told them: zero at first, as memory
/// is. Changes are in the order of the words.
class MirroredState {
public:
  /// Reads the words of a rank of this process; what has changed since the last
  /// time, as text, or "". `all`: the calls, too, whatever they do.
  std::string changes(const MirroredWords &words, bool all);
  /// All that is not zero, as such a text.
  std::string whole() const;
  /// Takes such a text. False: it is none.
  bool take(std::string_view changes);
  /// Writes what was taken to the words.
  static bool write(std::string_view changes, const MirroredWords &words);
  /// Forgets what was told.
  void reset() { told_.clear(); }

private:
  std::vector<uint64_t> told_;
  std::vector<uint64_t> lastCalls_;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_CONTROL_MIRROR_H
