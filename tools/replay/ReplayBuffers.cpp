//===- ReplayBuffers.cpp - inputs and outputs of a replay's ranks ---------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/replay/ReplayBuffers.h"

#include "schedules/ScheduleFile.h"
#include "schedules/Text.h"

#include <algorithm>
#include <cstring>

namespace blink {

ReplayBuffers::ReplayBuffers(const sched::Program &program,
                             const ReplayOptions &options)
    : options_(options), call_{program.collective(),
                               program.root(),
                               static_cast<int>(program.allocation()->size()),
                               options.type,
                               options.op,
                               0},
      samples_(call_.samples(options.seed)) {
  call_.count = options.bytes / call_.unit();
}

std::string ReplayBuffers::refusal() const {
  if (!options_.inPlace || call_.hasInPlace())
    return "";
  return textOf("there is no ", EnumNameCollective(call_.collective),
                " in place");
}

void ReplayBuffers::allocate(int firstRank, int endRank) {
  first_ = firstRank;
  end_ = std::max(first_, std::min(endRank, call_.numRanks));
  for (int rank = first_; rank < end_; ++rank) {
    inputs_.emplace_back(options_.inPlace ? 0 : call_.inputBytes());
    outputs_.emplace_back(options_.inPlace ? call_.bytes()
                                           : call_.outputBytes());
  }
}

/// Returns the expected block `block` of `rank`'s output.
ReplayBuffers::Bytes ReplayBuffers::expected(int rank, uint32_t block) const {
  Bytes bytes(call_.blockBytes());
  const uint64_t first = call_.firstElement(rank);
  if (call_.reduces())
    samples_.reduced(first, call_.count, bytes.data());
  else
    samples_.inputs(call_.sourceOf(rank, block), first, call_.count,
                    bytes.data());
  return bytes;
}

void ReplayBuffers::fill() {
  const size_t elements = call_.count * call_.inputBlocks();
  for (Bytes &output : outputs_) // in place, the inputs are in them
    std::fill(output.begin(), output.end(), uint8_t(0xff));
  for (int rank = first_; rank < end_; ++rank)
    samples_.inputs(rank, 0, elements, input(rank));
}

void ReplayBuffers::check(ReplayResult &result) {
  const bool sameOnAllRanks =
      call_.inputBlocks() == 1 && !isPairwise(call_.collective);
  const size_t elementSize = sizeOf(call_.type);
  std::vector<Bytes> reference;
  for (int rank = first_; rank < end_; ++rank) {
    if (!call_.receives(rank))
      continue;
    if (reference.empty() || !sameOnAllRanks) {
      reference.clear();
      for (uint32_t block = 0; block < call_.outputBlocks(); ++block)
        reference.push_back(expected(rank, block));
    }
    for (uint32_t block = 0; block < call_.outputBlocks(); ++block) {
      const uint8_t *got = output(rank) + block * call_.blockBytes();
      const uint8_t *want = reference[block].data();
      result.checked += call_.count;
      if (call_.count == 0 || std::memcmp(got, want, call_.blockBytes()) == 0)
        continue;
      for (size_t i = 0; i < call_.count; ++i)
        if (std::memcmp(got + i * elementSize, want + i * elementSize,
                        elementSize) != 0 &&
            result.wrong++ == 0)
          result.firstWrong =
              textOf("rank ", rank, ", block ", block, ", element ", i);
    }
  }
}

blinkResult_t ReplayBuffers::call(int rank, blinkComm_t comm) {
  const bool isRelay = rank >= call_.numRanks;
  return call_.make(isRelay ? nullptr : input(rank),
                    isRelay ? nullptr : output(rank), comm, nullptr);
}

} // namespace blink
