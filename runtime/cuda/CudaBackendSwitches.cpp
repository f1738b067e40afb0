//===- CudaBackendSwitches.cpp - trees for which switches work ------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Lays out the chunks of such trees. Each tree has slots of its own in the
// switch's memory, some for contributions and some for results, at the same
// place on all ranks.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/CudaBackend.h"

#include "runtime/Log.h"
#include "runtime/cuda/Kernels.h"
#include "runtime/job/Arena.h"
#include "runtime/plan/Types.h"

#include <algorithm>
#include <set>

namespace blink::runtime {

/// Whether a step does all that a root has to do: it reads the contributions of
/// all other ranks and its own input, and writes all results.
static bool isWholeFold(const RankCode &code, const StepCode &step,
                        int numRanks) {
  const auto has = [&](OperandKind kind, uint32_t begin, uint32_t end) {
    return std::count_if(
        code.operands + step.operandsBegin + begin,
        code.operands + step.operandsBegin + end,
        [kind](const OperandCode &operand) { return operand.kind == kind; });
  };
  const uint32_t sources = step.sources, all = step.numOperands();
  return has(OperandKind::input, 0, sources) == 1 &&
         has(OperandKind::channel, 0, sources) == numRanks - 1 &&
         has(OperandKind::channel, sources, all) == numRanks - 1 &&
         has(OperandKind::output, sources, all) == 1;
}

/// Returns for each tree of a variant whether its root does everything in one
/// step. In some files the root writes its output first, and reads it again.
static std::vector<bool> treesOfOneFold(const VariantPlan &variant,
                                        int numRanks) {
  std::vector<bool> found(variant.trees.size());
  for (const RankPlan &rank : variant.ranks)
    for (uint32_t l = 0; l < rank.code.numLanes; ++l)
      for (uint32_t s = 0; s < rank.code.lanes[l].stepsCount; ++s) {
        const StepCode &step =
            rank.code.steps[rank.code.lanes[l].stepsBegin + s];
        if (isWholeFold(rank.code, step, numRanks))
          found[step.tree] = true;
      }
  return found;
}

/// Lays out slots for the trees for which a switch both reduces and multicasts;
/// the compiler makes no others. Returns their bytes on each GPU.
size_t CudaBackend::laySwitches() {
  Arena arena;
  for (const ProgramPlan &program : plan_.programs)
    for (const VariantPlan &variant : program.variants) {
      if (!variant.variant->switches() ||
          variant.variant->protocol() != sched::Protocol::simple)
        continue;
      std::vector<uint32_t> slotsOf(variant.trees.size(), 1);
      const auto &channels = *variant.variant->channels();
      for (uint32_t c = 0; c < channels.size(); ++c) {
        uint32_t &most = slotsOf[channels[c]->tree()];
        most = std::max(most, uint32_t(variant.slots[c]));
      }
      const std::vector<bool> oneFold = treesOfOneFold(variant, plan_.numRanks);
      std::vector<uint32_t> trees;
      for (const sched::SwitchUse *use : *variant.variant->switches())
        if (use->reduces() && use->multicasts() && oneFold[use->tree()])
          trees.push_back(use->tree());
      for (uint32_t tree : trees) {
        const uint32_t slots = slotsOf[tree];
        const size_t bytes = size_t(slots) * variant.chunks.bytes;
        const size_t up = arena.size();
        arena.take<char>(bytes);
        switchPlaces_[{variant.number, tree}] = {
            up, arena.size(), slots, trees.size() == variant.trees.size()};
        arena.take<char>(bytes);
      }
    }
  return arena.size();
}

/// Returns success, or what this process lacks.
static Status switchesHere(const std::vector<int> &devices) {
  for (int device : devices) {
    const DeviceScope scope(device); // other GPUs may need other kernels
    bool can = false;
    Status status = cudaStatus(scope.error(), "cannot use GPU ", device);
    if (status.ok())
      status = cudaStatus(kernelsMulticast(can), "kernels cannot be asked");
    if (status.ok() && !can)
      return {blinkInvalidUsage, "kernels are for older GPUs"};
    if (status.ok())
      status = canMulticast(device);
    if (!status.ok())
      return status;
  }
  return {};
}

/// Logs whether switches are used. Without them the trees are replayed by links
/// alone, so this is no failure.
void CudaBackend::noteSwitches(int rank, const Status &status) {
  if (status.ok()) {
    log(LogLevel::info, rank, "CUDA back end: the switch works for ",
        switchPlaces_.size(), " trees, with ", switchMemory_->bytes(),
        " bytes on each GPU");
    return;
  }
  log(LogLevel::warn, rank, "CUDA back end: ", switchPlaces_.size(),
      " trees are replayed without the switch's help, by links alone: ",
      status.text);
  switchPlaces_.clear();
  switchMemory_.reset();
}

static Status onOneGpu() {
  return {blinkInvalidUsage, "several ranks are on one GPU"};
}

/// Prepares switches if all ranks are in this process.
void CudaBackend::prepareSwitches() {
  const size_t bytes = laySwitches();
  if (bytes == 0)
    return;
  const std::vector<int> devices = devicesHere();
  Status status =
      std::set<int>(devices.begin(), devices.end()).size() == devices.size()
          ? switchesHere(devices)
          : onOneGpu();
  if (status.ok()) {
    switchMemory_ = std::make_shared<SwitchMemory>();
    status = switchMemory_->create(devices, bytes);
  }
  noteSwitches(-1, status);
}

bool CudaBackend::sharesGpus() const {
  for (size_t rank = 0; rank < ranks_.size(); ++rank)
    for (size_t other = 0; other < rank; ++other)
      if (areOnOneGpu(peers_[rank].gpu, peers_[other].gpu))
        return true;
  return false;
}

/// Prepares switches with ranks in other processes, all of which have told
/// their GPUs. Errors: the job has failed meanwhile.
Status
CudaBackend::prepareSwitches(int self,
                             std::chrono::steady_clock::time_point deadline,
                             const std::function<Status()> &peerFailure) {
  const size_t bytes = laySwitches();
  if (bytes == 0)
    return {};
  Status outcome;
  if (job_.control()) // file descriptors cannot be passed to another server
    outcome = {blinkInvalidUsage, "ranks are on several servers"};
  else if (sharesGpus())
    outcome = onOneGpu();
  if (outcome.ok()) {
    const int device = ranks_[size_t(self)].device;
    const DeviceScope scope(device);
    switchMemory_ = std::make_shared<SwitchMemory>();
    SwitchMeeting meeting(job_, switchRecords_, self, deadline, peerFailure);
    const Status status = meeting.make(switchesHere({device}), device, bytes,
                                       *switchMemory_, outcome);
    if (!status.ok())
      return status;
  }
  noteSwitches(self, outcome);
  return {};
}

bool CudaBackend::switchesWork(const VariantPlan &variant,
                               const CallKind &kind) const {
  const SwitchPlace *first = firstSwitchPlaceOf(variant);
  return first && switchAdds(kind.type) &&
         // If some trees have no switch, folds do not divide: see
         // foldByCopies().
         (kind.op == blinkSum ||
          (kind.op == blinkAvg && first->forAll && switchDivides(kind.type))) &&
         (variant.partial.empty() || !isWidened(kind.type, kind.op));
}

/// Returns the place of the variant's first tree for which a switch works, or
/// null.
const CudaBackend::SwitchPlace *
CudaBackend::firstSwitchPlaceOf(const VariantPlan &variant) const {
  const auto first = switchPlaces_.lower_bound({variant.number, 0});
  return first != switchPlaces_.end() && first->first.first == variant.number
             ? &first->second
             : nullptr;
}

const CudaBackend::SwitchPlace *
CudaBackend::switchPlaceOf(const VariantPlan &variant, uint32_t tree) const {
  const auto found = switchPlaces_.find({variant.number, tree});
  return found == switchPlaces_.end() ? nullptr : &found->second;
}

SwitchStep CudaBackend::switchStepOf(const SwitchPlace &place,
                                     const StepCode &step,
                                     const OperandCode *operands,
                                     size_t self) const {
  const auto hasChannel = [&](uint32_t begin, uint32_t end) {
    return std::any_of(operands + begin, operands + end,
                       [](const OperandCode &operand) {
                         return operand.kind == OperandKind::channel;
                       });
  };
  const bool reads = hasChannel(0, step.sources);
  const bool writes = hasChannel(step.sources, step.numOperands());
  SwitchStep result{};
  result.slots = place.slots;
  result.own = switchMemory_->own(oneProcess_ ? self : 0) +
               (writes ? place.up : place.results);
  if (reads && writes) { // the root
    result.all = switchMemory_->all() + place.up;
    result.results = switchMemory_->all() + place.results;
  }
  return result;
}

} // namespace blink::runtime
