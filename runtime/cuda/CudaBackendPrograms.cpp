//===- CudaBackendPrograms.cpp - programs on devices ----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Makes the programs that lanes read: the steps of every variant, lane by lane.
// Each operand comes with the addresses that its lane needs, so that a lane
// fetches everything at once.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/CudaBackend.h"

#include "runtime/job/Arena.h"

#include <algorithm>
#include <cstring>

namespace blink::runtime {

uint32_t CudaBackend::numMessageLanes() const {
  return 2 * uint32_t(plan_.numRanks) * plan_.numMessageTrees;
}

std::vector<std::vector<const StepCode *>>
CudaBackend::lanesOf(const VariantPlan &variant, size_t self,
                     bool messages) const {
  const RankCode &code = variant.ranks[self].code;
  std::vector<std::vector<const StepCode *>> lanes(messages ? numMessageLanes()
                                                            : code.numLanes);
  std::vector<uint32_t> used(messages ? size_t(plan_.numRanks) * 2 : 0);
  for (uint32_t l = 0; l < code.numLanes; ++l)
    for (uint32_t s = 0; s < code.lanes[l].stepsCount; ++s) {
      const StepCode *step = code.steps + code.lanes[l].stepsBegin + s;
      if (!messages) {
        lanes[l].push_back(step);
        continue;
      }
      const OperandCode &from = code.operands[step->operandsBegin];
      const OperandCode &to =
          code.operands[step->operandsBegin + step->sources];
      const bool sends = from.kind == OperandKind::input;
      const uint32_t queue = 2 * (sends ? from : to).index + !sends;
      lanes[queue * plan_.numMessageTrees + used[queue]++].push_back(step);
    }
  // For sorting: a ring must have the same lane in every variant.
  const auto ringOf = [&](const std::vector<const StepCode *> &lane) {
    for (uint32_t i = 0; i < lane[0]->numOperands(); ++i) {
      const OperandCode &operand = code.operands[lane[0]->operandsBegin + i];
      if (operand.kind == OperandKind::channel)
        return variant.rings[operand.index];
    }
    return uint32_t(0); // a message of a rank to itself
  };
  for (size_t queue = 0; queue < used.size(); ++queue) {
    const auto first = lanes.begin() + ptrdiff_t(queue * plan_.numMessageTrees);
    std::sort(
        first, first + ptrdiff_t(used[queue]),
        [&](const auto &a, const auto &b) { return ringOf(a) < ringOf(b); });
  }
  return lanes;
}

/// Returns a variant's channel as rank `self`, which is one of its ends, sees
/// it.
DeviceChannel CudaBackend::channelOf(const VariantPlan &variant,
                                     uint32_t channel, size_t self) const {
  const bool lowLatency =
      variant.variant->protocol() == sched::Protocol::low_latency;
  const RingPlan &ring = plan_.rings[variant.rings[channel]];
  const RingPlace &place = rings_[variant.rings[channel]];
  const bool writes = ring.source == self;
  const Rank &other = ranks_[writes ? ring.destination : ring.source];
  const bool reaches = deviceTransportOf(ring).reaches;
  const bool direct = reaches && variant.directBlocks[channel] != kNoBlock;
  const bool borrowed = reaches && variant.borrowed[channel];
  // The end that receives the pointer polls its own memory.
  const bool sentToWriter = direct;
  CarriedRings::Memory memory = {lowLatency ? place.lines : place.slots,
                                 place.full, place.freed};
  if (ring.apart)
    memory = carried_.at(variant.rings[channel], writes);
  return {memory.slots,
          memory.full,
          memory.freed,
          sentToWriter ? place.ptrExchangeAtWriter : place.ptrExchangeAtReader,
          other.here ? nullptr
                     : reinterpret_cast<const uint64_t *>(other.windows.get()),
          writes ? place.writer : place.reader,
          ring.lineBytes,
          variant.slots[channel],
          variant.chunks.bytes * (lowLatency ? 2 : 1),
          !direct            ? DeviceChannel::kNotDirect
          : variant.pairwise ? 0
                             : variant.directBlocks[channel],
          borrowed,
          variant.quiet[channel]};
}

LaneOperand CudaBackend::operandOf(const VariantPlan &variant,
                                   const OperandCode &code, uint32_t step,
                                   size_t self) const {
  LaneOperand operand{};
  operand.kind = code.kind;
  // A message's buffer is one block, whichever its peer is.
  operand.index =
      code.kind != OperandKind::channel && variant.pairwise ? 0 : code.index;
  operand.step = step;
  if (code.kind == OperandKind::channel) {
    operand.channel = channelOf(variant, code.index, self);
    operand.partial = !variant.partial.empty() && variant.partial[code.index];
  }
  return operand;
}

/// Lays out the programs of rank `self` at `base`, an address of its device,
/// and writes them to `image`, host memory that is then copied there. If
/// `image` is null, only counts their bytes.
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
      const bool messages = variant.pairwise;
      const RankCode &code = variant.ranks[self].code;
      const auto lanes = lanesOf(variant, self, messages);
      auto *device = reinterpret_cast<DeviceProgram *>(arena.take<char>(
          sizeof(DeviceProgram) + lanes.size() * sizeof(LaneProgram)));
      auto *channels = arena.take<DeviceChannelNote>(variant.rings.size());
      auto *waited = arena.take<uint64_t>(variant.rings.size());
      for (size_t c = 0; image && c < variant.rings.size(); ++c) {
        const RingPlan &ring = plan_.rings[variant.rings[c]];
        put(channels + c,
            DeviceChannelNote{ring.source == self ? ring.destination
                                                  : ring.source,
                              variant.channelNumber(uint32_t(c))});
      }
      if (image) {
        // Lanes of messages are numbered after those of collectives.
        const uint32_t first = messages ? plan_.numLanes : 0;
        LaneTrace *traces = reinterpret_cast<LaneTrace *>(rank.traces.get());
        DeviceNotes notes = notesOf(self, messages);
        notes.channels = channels;
        notes.waited = waited;
        rank.programs.push_back(device);
        put(device,
            DeviceProgram{rank.abortHere, job_.abortWord(), rank.busy + first,
                          rank.reports + first, messages ? nullptr : traces,
                          notes, uint64_t(job_.timeout().count()) * 1000000,
                          lanes.size()});
        for (size_t l = 0; messages && l < lanes.size();
             l += plan_.numMessageTrees)
          rank.messageTrees[variant.number].push_back(uint32_t(std::count_if(
              lanes.begin() + ptrdiff_t(l),
              lanes.begin() + ptrdiff_t(l) + ptrdiff_t(plan_.numMessageTrees),
              [](const auto &lane) { return !lane.empty(); })));
      }
      for (size_t l = 0; l < lanes.size(); ++l) {
        const uint32_t numSteps = uint32_t(lanes[l].size());
        uint32_t numOperands = 0;
        for (const StepCode *step : lanes[l])
          numOperands += step->numOperands();
        auto *laneSteps = arena.take<LaneStep>(numSteps);
        auto *operands = arena.take<LaneOperand>(numOperands);
        std::vector<SwitchStep *> inSwitch;
        for (const StepCode *step : lanes[l])
          inSwitch.push_back(switchPlaceOf(variant, step->tree)
                                 ? arena.take<SwitchStep>(1)
                                 : nullptr);
        if (!image)
          continue;
        put(const_cast<LaneProgram *>(device->lanes() + l),
            LaneProgram{laneSteps, operands, numSteps, numOperands});
        for (uint32_t s = 0, o = 0; s < numSteps; ++s) {
          const StepCode &from = *lanes[l][s];
          LaneStep step{};
          step.share = variant.trees[from.tree];
          step.operandsBegin = o;
          step.sources = from.sources;
          step.destinations = from.destinations;
          step.completes = from.completes;
          step.delay = messages ? uint16_t(0) : from.delay;
          step.inSwitch = inSwitch[s];
          if (inSwitch[s])
            put(inSwitch[s],
                switchStepOf(*switchPlaceOf(variant, from.tree), from,
                             code.operands + from.operandsBegin, self));
          put(laneSteps + s, step);
          for (uint32_t i = 0; i < from.numOperands(); ++i, ++o)
            put(operands + o,
                operandOf(variant, code.operands[from.operandsBegin + i], s,
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
