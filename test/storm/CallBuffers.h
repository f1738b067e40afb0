//===- CallBuffers.h - the buffers of one rank's call -----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The buffers are filled so that every byte is known after the call: results,
// inputs that must not change, and bytes that must not be written. Inputs are
// those of Patterns.h, whose sums are exact. Each call's input starts at a
// different element, so that a chunk of an earlier call does not pass for one
// of this call.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_STORM_CALLBUFFERS_H
#define BLINK_TEST_STORM_CALLBUFFERS_H

#include "test/conformance/Case.h"
#include "test/conformance/Patterns.h"

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace blink::storm {

/// The patterns that a rank has asked for so far. Patterns.h uses a mutex;
/// ranks that locked it in each call would be ordered by it.
class PatternCache {
public:
  const test::Pattern &input(const test::Case &c, int rank);
  const test::Pattern &reduced(const test::Case &c, int numRanks);

private:
  std::map<std::tuple<bool, int, int, int>, const test::Pattern *> known_;
};

/// The layout of the buffers in their region, in bytes.
struct Placing {
  size_t before = 64;  ///< the first buffer's offset
  size_t between = 64; ///< from its end to the second buffer
  bool recvFirst = false;
  bool nulls = false; ///< buffers that may be NULL are NULL
};

class CallBuffers {
public:
  /// `phase` is the first element of the call's patterns, the same on every
  /// rank.
  CallBuffers(const test::Case &c, int numRanks, int rank, size_t phase,
              const Placing &placing, PatternCache &patterns);

  /// The size of the region.
  size_t bytes() const { return bytes_; }
  /// Whether the call uses one buffer for both, which the case asks for but not
  /// every rank can do.
  bool inPlace() const { return inPlace_; }
  /// Offsets of the call's arguments in the region; kNull for NULL.
  static constexpr size_t kNull = ~size_t(0);
  size_t send() const { return send_; }
  size_t recv() const { return recv_; }

  void fill(unsigned char *region) const;
  /// Returns "" or what is wrong after the call.
  std::string check(const unsigned char *region) const;

private:
  /// Expected elements: those of a pattern, from `first` on.
  struct Piece {
    size_t offset, count;
    const test::Pattern *pattern;
    size_t first;
    const char *what;
  };
  void layOut(const Placing &placing);
  void expectResult(PatternCache &patterns);
  void expectInput(size_t offset, size_t count, size_t first);
  std::string describeFirst(const Piece &piece, const unsigned char *region,
                            const test::Wrong &wrong) const;

  test::Case c_;
  int numRanks_, rank_;
  size_t phase_, size_;
  bool gathers_, scatters_, sends_, receives_, inPlace_;
  size_t sendCount_, recvCount_;
  const test::Pattern *input_;
  size_t bytes_ = 0, send_ = kNull, recv_ = kNull;
  size_t input0_ = 0, output0_ = 0; ///< even if the argument is NULL
  std::vector<Piece> after_;        ///< ascending by offset
};

} // namespace blink::storm

#endif // BLINK_TEST_STORM_CALLBUFFERS_H
