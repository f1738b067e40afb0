//===- CallBuffers.cpp - the buffers of one rank's call -------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/storm/CallBuffers.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>

using namespace blink::test;

namespace blink::storm {
namespace {

constexpr unsigned char kCanary = 0xa5;

size_t roundUp(size_t bytes, size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

} // namespace

const Pattern &PatternCache::input(const Case &c, int rank) {
  const bool reduced = reduces(c.collective);
  const Pattern *&known =
      known_[{false, c.type, reduced ? int(c.op) : -1, rank}];
  if (!known)
    known = &inputPattern(c.type, reduced ? std::optional(c.op) : std::nullopt,
                          rank);
  return *known;
}

const Pattern &PatternCache::reduced(const Case &c, int numRanks) {
  const Pattern *&known = known_[{true, c.type, c.op, numRanks}];
  if (!known)
    known = &reducedPattern(c.type, c.op, numRanks);
  return *known;
}

CallBuffers::CallBuffers(const Case &c, int numRanks, int rank, size_t phase,
                         const Placing &placing, PatternCache &patterns)
    : c_(c), numRanks_(numRanks), rank_(rank), phase_(phase),
      size_(size_t(bytesOf(c.type))), input_(&patterns.input(c, rank)) {
  const Collective collective = c.collective;
  const bool isRoot = rank == c.root;
  // A rank that does not use a buffer passes NULL or a buffer that must not
  // change.
  sends_ = isRoot || (collective != Collective::broadcast &&
                      collective != Collective::scatter);
  receives_ = isRoot || (collective != Collective::reduce &&
                         collective != Collective::gather);
  const size_t in = sched::inputBlocks(collective, uint32_t(numRanks));
  const size_t out = sched::outputBlocks(collective, uint32_t(numRanks));
  sendCount_ = c.count * (sends_ || in == 1 ? in : 0);
  recvCount_ = c.count * (receives_ || out == 1 ? out : 0);
  gathers_ = recvCount_ > sendCount_;
  scatters_ = sendCount_ > recvCount_;
  inPlace_ = c.inPlace && sched::hasInPlace(collective) &&
             ((sends_ && receives_) || in == out);
  layOut(placing);
  expectResult(patterns);
}

void CallBuffers::layOut(const Placing &placing) {
  const size_t part = size_t(rank_) * c_.count * size_;
  const size_t first = roundUp(placing.before, size_);
  size_t end = 0;
  if (inPlace_) {
    input0_ = first + (gathers_ ? part : 0);
    output0_ = first + (scatters_ ? part : 0);
    end = first + std::max(sendCount_, recvCount_) * size_;
  } else {
    const size_t firstCount = placing.recvFirst ? recvCount_ : sendCount_;
    const size_t secondCount = placing.recvFirst ? sendCount_ : recvCount_;
    const size_t second =
        roundUp(first + firstCount * size_ + placing.between, size_);
    input0_ = placing.recvFirst ? second : first;
    output0_ = placing.recvFirst ? first : second;
    end = second + secondCount * size_;
  }
  constexpr size_t kMargin = 64;
  bytes_ = roundUp(end + kMargin, 64);
  send_ = sends_ || !placing.nulls ? input0_ : kNull;
  recv_ = receives_ || !placing.nulls ? output0_ : kNull;
}

void CallBuffers::expectInput(size_t offset, size_t count, size_t first) {
  if (count != 0)
    after_.push_back({offset, count, input_, first, "input"});
}

void CallBuffers::expectResult(PatternCache &patterns) {
  const size_t own = size_t(rank_) * c_.count;
  const size_t block = c_.count * size_;
  if (c_.count == 0)
    return;
  if (!inPlace_ || !receives_)
    expectInput(input0_, sendCount_, phase_);
  else if (scatters_) { // all blocks but the one the result replaces
    expectInput(input0_, own, phase_);
    expectInput(input0_ + (own + c_.count) * size_, sendCount_ - own - c_.count,
                phase_ + own + c_.count);
  }
  if (receives_) {
    // Elements of a buffer with several blocks are numbered across all blocks.
    const bool several =
        sched::inputBlocks(c_.collective, uint32_t(numRanks_)) > 1;
    const size_t first = phase_ + (several ? own : 0);
    const size_t blocks = recvCount_ / c_.count;
    for (size_t b = 0; b < blocks; ++b) {
      const Pattern &pattern =
          reduces(c_.collective)
              ? patterns.reduced(c_, numRanks_)
              : patterns.input(c_, blocks > 1 ? int(b) : c_.root);
      after_.push_back(
          {output0_ + b * block, c_.count, &pattern, first, "result"});
    }
  }
  std::sort(after_.begin(), after_.end(),
            [](const Piece &a, const Piece &b) { return a.offset < b.offset; });
}

void CallBuffers::fill(unsigned char *region) const {
  // Fill the output, too, so that elements that are never written are found.
  std::memset(region, kCanary, bytes_);
  test::fill(region + input0_, *input_, size_, phase_, sendCount_);
}

std::string CallBuffers::describeFirst(const Piece &piece,
                                       const unsigned char *region,
                                       const Wrong &wrong) const {
  const uint64_t got = loadBits(c_.type, region + piece.offset, wrong.first);
  const uint64_t expected = loadBits(c_.type, piece.pattern->data(),
                                     (piece.first + wrong.first) % kPeriod);
  char text[200];
  std::snprintf(text, sizeof(text),
                "%zu of %zu elements of the %s are wrong, the first at %zu: "
                "0x%" PRIx64 ", not 0x%" PRIx64,
                wrong.count, piece.count, piece.what, wrong.first, got,
                expected);
  return text;
}

std::string CallBuffers::check(const unsigned char *region) const {
  std::string text;
  Wrong beside;
  size_t end = 0;
  const auto checkGap = [&](size_t until) {
    for (size_t at = end; at < until; ++at)
      if (region[at] != kCanary && beside.count++ == 0)
        beside.first = at;
  };
  for (const Piece &piece : after_) {
    checkGap(piece.offset);
    end = piece.offset + piece.count * size_;
    Wrong wrong;
    compare(region + piece.offset, 0, *piece.pattern, size_, piece.first,
            piece.count, wrong);
    if (wrong.count != 0 && text.empty())
      text = describeFirst(piece, region, wrong);
  }
  checkGap(bytes_);
  if (beside.count != 0)
    text += (text.empty() ? "" : "; ") + std::to_string(beside.count) +
            " bytes that are nobody's were written, the first at " +
            std::to_string(beside.first) + " of the region";
  return text;
}

} // namespace blink::storm
