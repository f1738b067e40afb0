//===- CudaBackendPrograms.cpp - programs on devices ----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// What lanes read: every variant's steps, lane by lane, each operand with the
// addresses that its lane needs, so that a lane fetches all of it at once.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/CudaBackend.h"

#include "runtime/job/Arena.h"

#include <cstring>

namespace blink::runtime {

/// A variant's channel as rank `self`, one of its ends, sees it.
DeviceChannel CudaBackend::channelOf(const VariantPlan &variant,
                                     uint32_t channel, size_t self) const {
  const bool lowLatency =
      variant.variant->protocol() == sched::Protocol::low_latency;
  const RingPlan &ring = plan_.rings[variant.rings[channel]];
  const RingPlace &place = rings_[variant.rings[channel]];
  const bool writes = ring.source == self;
  const Rank &other = ranks_[writes ? ring.destination : ring.source];
  const bool reaches = deviceTransportOf(ring.kind)->reaches;
  const bool direct = reaches && variant.directBlocks[channel] != kNoBlock;
  const bool borrowed = reaches && variant.borrowed[channel];
  // The end that receives the pointer polls its own memory.
  const bool sentToWriter = direct;
  return {lowLatency ? place.lines : place.slots,
          place.full,
          place.freed,
          sentToWriter ? place.ptrExchangeAtWriter : place.ptrExchangeAtReader,
          other.here ? nullptr
                     : reinterpret_cast<const uint64_t *>(other.windows.get()),
          writes ? place.writer : place.reader,
          ring.lineBytes,
          variant.slots[channel],
          variant.chunkBytes * (lowLatency ? 2 : 1),
          direct ? variant.directBlocks[channel] : DeviceChannel::kNotDirect,
          borrowed,
          variant.quiet[channel]};
}

LaneOperand CudaBackend::operandOf(const VariantPlan &variant,
                                   const OperandCode &code, uint32_t step,
                                   size_t self) const {
  LaneOperand operand{};
  operand.kind = code.kind;
  operand.index = code.index;
  operand.step = step;
  if (code.kind == OperandKind::channel)
    operand.channel = channelOf(variant, code.index, self);
  return operand;
}

/// Lays out the programs of rank `self` at `base`, an address of its device,
/// and makes them in `image`, the memory of here that will be copied there.
/// `image` null: just counts their bytes.
size_t CudaBackend::layPrograms(size_t self, char *base, char *image) {
  Rank &rank = ranks_[self];
  Arena arena(base);
  auto put = [&](auto *address, const auto &content) {
    std::memcpy(image + (reinterpret_cast<char *>(address) - base), &content,
                sizeof(content));
  };
  rank.programs.clear();
  for (const ProgramPlan &program : plan_.programs)
    for (const VariantPlan &variant : program.variants) {
      const RankCode &code = variant.ranks[self].code;
      auto *device = reinterpret_cast<DeviceProgram *>(arena.take<char>(
          sizeof(DeviceProgram) + code.numLanes * sizeof(LaneProgram)));
      if (image) {
        rank.programs.push_back(device);
        put(device,
            DeviceProgram{rank.abortHere, job_.abortWord(), rank.busy,
                          rank.reports,
                          reinterpret_cast<LaneTrace *>(rank.traces.get()),
                          code.numLanes});
      }
      for (uint32_t l = 0; l < code.numLanes; ++l) {
        const StepCode *steps = code.steps + code.lanes[l].stepsBegin;
        const uint32_t numSteps = code.lanes[l].stepsCount;
        uint32_t numOperands = 0;
        for (uint32_t s = 0; s < numSteps; ++s)
          numOperands += steps[s].numOperands();
        auto *laneSteps = arena.take<LaneStep>(numSteps);
        auto *operands = arena.take<LaneOperand>(numOperands);
        if (!image)
          continue;
        put(const_cast<LaneProgram *>(device->lanes() + l),
            LaneProgram{laneSteps, operands, numSteps, numOperands});
        for (uint32_t s = 0, o = 0; s < numSteps; ++s) {
          LaneStep step{};
          step.share = variant.trees[steps[s].tree];
          step.operandsBegin = o;
          step.sources = steps[s].sources;
          step.destinations = steps[s].destinations;
          step.completes = steps[s].completes;
          step.delay = steps[s].delay;
          put(laneSteps + s, step);
          for (uint32_t i = 0; i < steps[s].numOperands(); ++i, ++o)
            put(operands + o,
                operandOf(variant, code.operands[steps[s].operandsBegin + i], s,
                          self));
        }
      }
    }
  return arena.size();
}

Status CudaBackend::copyPrograms() {
  for (size_t self = 0; self < ranks_.size(); ++self) {
    Rank &rank = ranks_[self];
    if (!rank.here)
      continue;
    DeviceScope scope(rank.device);
    std::vector<char> image(layPrograms(self, nullptr, nullptr));
    Status status = cudaStatus(allocateOnCurrent(image.size(), rank.code),
                               "cannot allocate memory for the programs");
    if (!status.ok())
      return status;
    rank.codeBytes = image.size();
    layPrograms(self, rank.code.get(), image.data());
    status =
        cudaStatus(copyToDevice(rank.code.get(), image.data(), image.size()),
                   "cannot copy the programs");
    if (!status.ok())
      return status;
  }
  return {};
}

} // namespace blink::runtime
