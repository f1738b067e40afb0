//===- Call.cpp - one rank's call of a collective -------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/Call.h"

#include "runtime/plan/Types.h"
#include "schedules/ChunkSize.h"
#include "schedules/ScheduleFile.h"
#include "schedules/Text.h"
#include "schedules/TimePoints.h"

#include <algorithm>
#include <utility>

namespace blink::runtime {
namespace {

/// The name that users know.
const char *nameOf(sched::Collective collective) {
  return sched::isPairwise(collective) ? "message"
                                       : sched::EnumNameCollective(collective);
}

} // namespace

bool CallKind::operator==(const CallKind &other) const {
  return collective == other.collective && root == other.root &&
         count == other.count && type == other.type && op == other.op;
}

std::string CallKind::describe() const {
  std::string text =
      textOf(nameOf(collective), " of ", count, " ", nameOf(type));
  if (isReduction(collective))
    text += std::string(" with ") + nameOf(op);
  if (sched::isRooted(collective))
    text += " and root " + std::to_string(root);
  return text;
}

uint64_t CallKind::hash() const {
  // SplitMix64's finaliser, twice. It is bijective in the count and in the
  // other words, and every bit affects the high bits, which tags keep.
  auto mix = [](uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
  };
  const uint64_t words = uint64_t(collective) | uint64_t(type) << 8 |
                         uint64_t(op) << 16 | uint64_t(uint32_t(root)) << 32;
  return mix(mix(count + 1) ^ words);
}

Status callsDiffer(const std::string &how) {
  return {blinkInvalidUsage, "the ranks' calls differ: " + how};
}

Status callsDiffer(int rank, const CallKind &kind, int other,
                   const std::string &what) {
  return callsDiffer(textOf("rank ", rank, " has ", kind.describe(), ", rank ",
                            other, " has ", what));
}

CallShape Call::shape(const VariantPlan &variant, bool borrowed,
                      uint32_t mostChunk) const {
  const uint32_t ranks = program->program->allocation()->size();
  CallShape shape = {kind.count, uint32_t(elementBytes(kind.type)), 0,
                     kind.op == blinkAvg ? ranks : 0};
  if (isBitwise(kind.op)) // as in withFoldType
    shape.count *= std::exchange(shape.elementBytes, 1);
  sched::ChunkSizes chunks = variant.chunks; // for elements of the type
  if (!variant.partial.empty() && isWidened(kind.type, kind.op)) {
    // Partial sums have as many elements, and must fit into slots.
    shape.partialBytes = sizeof(float);
    chunks.bytes = chunks.bytes / shape.partialBytes * shape.elementBytes;
  }
  chunks.bytes = std::min(chunks.bytes, mostChunk);
  // If readers borrow chunks and only copy them, several chunks overlap
  // nothing.
  if (borrowed && variant.oneCopy)
    chunks.leastChunks = 1;
  const uint64_t tree =
      shape.rangeOf(variant.largest).size() * shape.elementBytes;
  shape.chunkBytes = uint32_t(sched::chunkBytesOfCall(chunks, tree));
  shape.rounds = tree / shape.chunkBytes + (tree % shape.chunkBytes != 0);
  shape.rounds = std::max<uint64_t>(shape.rounds, 1);
  return shape;
}

Status Call::prepare(const Plan &plan) {
  auto invalid = [&](const auto &...what) {
    return Status(blinkInvalidArgument, nameOf(kind.collective), ": ", what...);
  };
  const size_t size = elementBytes(kind.type);
  if (size == 0)
    return invalid("unknown data type " + std::to_string(int(kind.type)));
  if (isBitwise(kind.op) && !isInteger(kind.type))
    return invalid(nameOf(kind.op), " combines the bits of integers, not ",
                   nameOf(kind.type));
  if (kind.root < 0 || kind.root >= plan.numRanks)
    return invalid("root ", kind.root, " of ", plan.numRanks, " ranks");
  if (isPairwise(kind.collective) && (peer < 0 || peer >= plan.numRanks))
    return invalid("peer ", peer, " of ", plan.numRanks, " ranks");
  if (kind.count > PTRDIFF_MAX / (size * uint64_t(plan.numRanks)))
    return invalid("count ", kind.count, " is more than memory can hold");
  Status status = plan.find(kind.collective, kind.root, program);
  if (!status.ok())
    return status;
  // Sums of integers are the same in any order.
  if (sched::isReduction(kind.collective) && !isInteger(kind.type))
    if (status = plan.checkOrder(*program, size); !status.ok())
      return Status(status.code, nameOf(kind.collective), ": ", status.text);
  const uint32_t ranks = program->program->allocation()->size();
  const uint64_t block = kind.count * size;
  sendBytes = block * sched::inputBlocks(kind.collective, ranks);
  recvBytes = block * sched::outputBlocks(kind.collective, ranks);
  if (isMessage()) {
    sendBytes = send ? block : 0;
    recvBytes = recv ? block : 0;
  }
  if (kind.count == 0)
    return {};
  if (isMessage() && !send && !recv)
    return invalid("the buffer is NULL");
  if (!isMessage() && !send && program->readsInput[rank])
    return invalid("the send buffer is NULL");
  if (!isMessage() && !recv && program->usesOutput[rank])
    return invalid("the receive buffer is NULL");
  if (!sched::hasInPlace(kind.collective) && send && send == recv)
    return invalid("send and receive buffer are one; there is no alltoall in "
                   "place");
  for (const void *buffer : {send, static_cast<const void *>(recv)})
    if ((reinterpret_cast<uintptr_t>(buffer) & (size - 1)) != 0)
      return invalid("a buffer is not aligned to its elements of ", size,
                     " bytes");
  return {};
}

Status Call::estimate(double &microseconds) const {
  microseconds = 0;
  if (kind.count == 0 || peer == rank)
    return {};
  const sched::TimePoints *times = variant().variant->times();
  if (!times)
    return {blinkInvalidUsage,
            textOf(nameOf(kind.collective), ": the schedule says nothing of ",
                   "times, as it was made before Blink wrote them: compile it "
                   "again")};
  microseconds = sched::timeAt(*times, bytes());
  return {};
}

} // namespace blink::runtime
