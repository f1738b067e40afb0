//===- CallBuffers.h - the buffers of one rank's call -----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Filled so that every byte afterwards is known: results, inputs that must not
// change, and what nobody may touch. Inputs are Patterns.h's, which sum up
// exactly, each call's from another element on: a chunk of an earlier call is
// not taken for one of this call.
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

/// Patterns that a rank has asked for: Patterns.h has a mutex, and ranks that
/// meet at it in each call would be ordered by it.
class PatternCache {
public:
  const test::Pattern &input(const test::Case &c, int rank);
  const test::Pattern &reduced(const test::Case &c, int numRanks);

private:
  std::map<std::tuple<bool, int, int, int>, const test::Pattern *> known_;
};

/// How the buffers lie in their region, all in bytes.
struct Placing {
  size_t before = 64;  ///< the first buffer's offset
  size_t between = 64; ///< from its end to the other one
  bool recvFirst = false;
  bool nulls = false; ///< what may be NULL is
};

class CallBuffers {
public:
  /// `phase`: of the call, the same on every rank.
  CallBuffers(const test::Case &c, int numRanks, int rank, size_t phase,
              const Placing &placing, PatternCache &patterns);

  /// Of the region.
  size_t bytes() const { return bytes_; }
  /// Whether the rank's call has one buffer for both where the case says so.
  bool inPlace() const { return inPlace_; }
  /// Offsets of the call's arguments; kNull: NULL.
  static constexpr size_t kNull = ~size_t(0);
  size_t send() const { return send_; }
  size_t recv() const { return recv_; }

  void fill(unsigned char *region) const;
  /// "" or what is wrong after the call.
  std::string check(const unsigned char *region) const;

private:
  /// Elements of a pattern from `first` on.
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
  size_t input0_ = 0, output0_ = 0; ///< of the buffers, NULL or not
  std::vector<Piece> after_;        ///< ascending
};

} // namespace blink::storm

#endif // BLINK_TEST_STORM_CALLBUFFERS_H
