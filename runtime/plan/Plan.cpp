//===- Plan.cpp - programs, prepared once ---------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/Plan.h"

#include "schedules/Collectives.h"
#include "schedules/Hash.h"
#include "schedules/PartialSums.h"
#include "schedules/ScheduleFile.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <unordered_map>

namespace blink::runtime {
namespace {

// core/Program.h must match schedule_generated.h.
static_assert(sizeof(OperandCode) == sizeof(sched::Operand));
static_assert(sizeof(StepCode) == sizeof(sched::Step));
static_assert(offsetof(StepCode, sources) == 8);
static_assert(offsetof(StepCode, completes) == 12);
static_assert(offsetof(StepCode, delay) == 14);
static_assert(sizeof(LaneCode) == sizeof(sched::Lane));
static_assert(int(OperandKind::input) == int(sched::OperandKind::input));
static_assert(int(OperandKind::output) == int(sched::OperandKind::output));
static_assert(int(OperandKind::channel) == int(sched::OperandKind::channel));

template <typename T, typename Struct>
const T *asCode(const flatbuffers::Vector<const Struct *> &list) {
  return reinterpret_cast<const T *>(list.Data());
}

RankCode codeOf(const sched::RankProgram &rank) {
  return {asCode<LaneCode>(*rank.lanes()), asCode<StepCode>(*rank.steps()),
          asCode<OperandCode>(*rank.operands()), rank.lanes()->size()};
}

//===-- Borrowing ---------------------------------------------------------===//

/// How often the steps of a rank use a tree's part of the buffers.
struct TreeUse {
  uint32_t outputWriters = 0;
  uint32_t outputReaders = 0;
  uint32_t inputReaders = 0;
  uint32_t inputWays = 0; ///< destinations of the steps that read the input

  /// If the call is in place, the rank's output may overwrite its input. Where
  /// the output contains the rank's contribution and that leaves by one way
  /// alone, it has been read by the time that a copy of the result arrives.
  bool leavesByOneWay() const { return inputReaders <= 1 && inputWays <= 1; }
};

Borrow borrowOf(const StepCode &step, const OperandCode *operands,
                const TreeUse &use, sched::Collective collective) {
  uint32_t outputs = 0, channels = 0;
  for (uint32_t i = step.sources; i < step.numOperands(); ++i)
    (operands[i].kind == OperandKind::channel ? channels : outputs) += 1;
  if (channels == 0)
    return Borrow::none;
  const bool copiesInput = step.sources == 1 && !step.completes &&
                           operands[0].kind == OperandKind::input;
  // A reader may come late, so no other step may write there in between.
  if (outputs == 1 && use.outputWriters == 1)
    return copiesInput ? Borrow::inputOrOutput : Borrow::output;
  if (outputs != 0 || !copiesInput)
    return Borrow::none;
  // See leavesByOneWay(). An output that is written twice is at first something
  // else than the result.
  const bool soleWay = collective == sched::Collective::allreduce &&
                       use.leavesByOneWay() && use.outputWriters <= 1;
  return use.outputWriters == 0 || soleWay ? Borrow::input
                                           : Borrow::inputUnlessOwn;
}

/// Sets the entries of `uses`, one per tree, for the trees of the rank's steps.
void noteUses(const RankPlan &rank, uint32_t numSteps,
              std::vector<TreeUse> &uses) {
  const RankCode &code = rank.code;
  for (uint32_t s = 0; s < numSteps; ++s)
    uses[code.steps[s].tree] = {};
  for (uint32_t s = 0; s < numSteps; ++s) {
    const StepCode &step = code.steps[s];
    for (uint32_t i = 0; i < step.numOperands(); ++i) {
      const OperandKind kind = code.operands[step.operandsBegin + i].kind;
      TreeUse &use = uses[step.tree];
      if (kind == OperandKind::input) {
        ++use.inputReaders;
        use.inputWays += step.destinations;
      }
      if (kind == OperandKind::output)
        ++(i < step.sources ? use.outputReaders : use.outputWriters);
    }
  }
}

/// Notes the channels whose chunks the rank copies to its output, if no other
/// step writes there. The writer may put them there before the rank's step, so
/// the rank must not need its input any more, which may be in the same place.
void findDirectBlocks(const StepCode &step, const OperandCode *operands,
                      const TreeUse &use, VariantPlan &variant) {
  if (step.sources != 1 || step.completes ||
      operands[0].kind != OperandKind::channel || use.outputWriters != 1 ||
      !use.leavesByOneWay())
    return;
  const uint32_t channel = operands[0].index;
  for (uint32_t i = 1; i < step.numOperands(); ++i)
    if (operands[i].kind == OperandKind::output)
      variant.directBlocks[channel] = operands[i].index;
  variant.quiet[channel] = variant.directBlocks[channel] != kNoBlock &&
                           step.destinations == 1 && use.outputReaders == 0;
}

/// Replaces the numbers of blocks that belong to ranks of the program by those
/// of the job's ranks.
void renameBlocks(RankPlan &plan, const ResolvedProgram &resolved) {
  const sched::Collective collective = resolved.program->collective();
  const uint32_t ranks = resolved.program->allocation()->size();
  const bool inputs = sched::inputBlocks(collective, ranks) > 1;
  const bool outputs = sched::outputBlocks(collective, ranks) > 1;
  if (resolved.jobRanks.empty() || (!inputs && !outputs))
    return;
  plan.renamed.assign(plan.code.operands,
                      plan.code.operands + plan.numOperands);
  for (OperandCode &operand : plan.renamed)
    if (operand.kind == OperandKind::input
            ? inputs
            : operand.kind == OperandKind::output && outputs)
      operand.index = resolved.jobRank(operand.index);
  plan.code.operands = plan.renamed.data();
}

RankPlan planRank(const sched::RankProgram &rank,
                  const ResolvedProgram &resolved, std::vector<TreeUse> &uses,
                  VariantPlan &variant) {
  const sched::Collective collective = resolved.program->collective();
  RankPlan plan;
  plan.code = codeOf(rank);
  plan.numOperands = rank.operands()->size();
  renameBlocks(plan, resolved);
  const uint32_t numSteps = rank.steps()->size();
  noteUses(plan, numSteps, uses);
  plan.borrows.reserve(numSteps);
  for (uint32_t s = 0; s < numSteps; ++s) {
    const StepCode &step = plan.code.steps[s];
    const OperandCode *operands = plan.code.operands + step.operandsBegin;
    plan.borrows.push_back(
        borrowOf(step, operands, uses[step.tree], collective));
    findDirectBlocks(step, operands, uses[step.tree], variant);
  }
  return plan;
}

/// See RankPlan::sharedSlots.
uint32_t sharedSlotOf(const StepCode &step, const OperandCode *operands,
                      const std::vector<uint16_t> &slots) {
  uint32_t channels = 0, shared = 0;
  for (uint32_t i = step.sources; i < step.numOperands(); ++i) {
    if (operands[i].kind != OperandKind::channel)
      continue;
    ++channels;
    if (shared == 0 || slots[operands[i].index] > slots[operands[shared].index])
      shared = i;
  }
  return channels > 1 ? shared : 0;
}

/// Computes what depends on the direct blocks and slots of all ranks' channels,
/// and the channels' rates.
void finishRank(RankPlan &rank, double blockRate, VariantPlan &variant) {
  rank.fetchedBorrows = rank.borrows;
  rank.sharedSlots.reserve(rank.borrows.size());
  for (size_t s = 0; s < rank.borrows.size(); ++s) {
    const StepCode &step = rank.code.steps[s];
    const OperandCode *operands = rank.code.operands + step.operandsBegin;
    const bool passesOn = operands[0].kind != OperandKind::input;
    const Borrow borrow = rank.borrows[s];
    const TreeShare &share = variant.trees[step.tree];
    rank.sharedSlots.push_back(sharedSlotOf(step, operands, variant.slots));
    for (uint32_t i = step.sources; i < step.numOperands(); ++i) {
      if (operands[i].kind != OperandKind::channel)
        continue;
      variant.paces[operands[i].index].rate +=
          float(blockRate * share.numerator / share.denominator);
      if (variant.directBlocks[operands[i].index] == kNoBlock) {
        rank.fetchedBorrows[s] = Borrow::none;
        // If the call is in place, input and output have the same address.
        variant.borrowed[operands[i].index] =
            borrow == Borrow::input || borrow == Borrow::inputOrOutput;
      }
      variant.oneCopy &= !passesOn;
    }
    variant.oneCopy &= step.sources == 1;
  }
}

/// See VariantPlan::inStep. False if the steps of some ranks are left out.
bool areInStep(const VariantPlan &variant) {
  constexpr int kUnknown = -1;
  std::vector<int> writers(variant.slots.size(), kUnknown), readers = writers;
  for (const RankPlan &rank : variant.ranks)
    for (size_t s = 0; s < rank.borrows.size(); ++s) {
      const StepCode &step = rank.code.steps[s];
      for (uint32_t i = 0; i < step.numOperands(); ++i) {
        const OperandCode &operand = rank.code.operands[step.operandsBegin + i];
        if (operand.kind == OperandKind::channel)
          (i < step.sources ? readers : writers)[operand.index] = step.delay;
      }
    }
  for (size_t channel = 0; channel + 1 < variant.slots.size(); ++channel) {
    const int writer = writers[channel], reader = readers[channel];
    if (writer == kUnknown || reader < writer ||
        reader - writer > int(variant.slots[channel]))
      return false;
  }
  return true;
}

/// Returns the blocks per second that are planned. A step that writes a channel
/// sends its tree's share of a block over it.
double blockRateOf(const sched::Program &program) {
  const auto ranks = int(program.allocation()->size());
  return 1e9 * program.algbw() /
         sched::blocksOfBuffer(program.collective(), ranks);
}

/// Finds the channels whose chunks are wider than narrow types, if there are
/// any.
void notePartialSums(const sched::Program &program,
                     const sched::VariantPart &part, VariantPlan &plan) {
  if (program.accumulate() == sched::Accumulation::none)
    return;
  plan.partial =
      part.channels.empty() ? sched::partialSums(*plan.variant) : part.partial;
  plan.partial.push_back(false); // as in planVariant
  if (std::find(plan.partial.begin(), plan.partial.end(), true) ==
      plan.partial.end()) {
    plan.partial.clear();
    return;
  }
  for (RankPlan &rank : plan.ranks)
    for (uint32_t i = 0; i < rank.numOperands; ++i)
      rank.partial.push_back(rank.code.operands[i].kind ==
                                 OperandKind::channel &&
                             plan.partial[rank.code.operands[i].index]);
}

VariantPlan planVariant(const ResolvedProgram &resolved,
                        const sched::Variant &variant,
                        const sched::VariantPart &part, uint32_t number,
                        Servers &servers, RingTable &table,
                        uint32_t chunkLimit) {
  VariantPlan plan;
  plan.variant = &variant;
  plan.channelNumbers = part.channels;
  plan.number = number;
  plan.pairwise = sched::isPairwise(resolved.program->collective());
  plan.chunks = sched::chunksOf(variant);
  plan.chunks.bytes = chunkBytesOf(variant, chunkLimit);
  // The last entry of each list is for channels that are left out
  // (expandFor()).
  plan.directBlocks.assign(variant.channels()->size() + 1, kNoBlock);
  plan.quiet.resize(variant.channels()->size() + 1);
  plan.borrowed.resize(variant.channels()->size() + 1);
  plan.ranks.resize(variant.ranks()->size());
  std::vector<TreeUse> uses(variant.trees()->size());
  for (uint32_t rank = 0; rank < variant.ranks()->size(); ++rank)
    plan.ranks[resolved.jobRank(rank)] =
        planRank(*variant.ranks()->Get(rank), resolved, uses, plan);
  plan.largest = {0, 0, 1};
  uint32_t before = 0;
  for (const sched::Tree *tree : *variant.trees()) {
    plan.trees.push_back({before, tree->numerator(), tree->denominator()});
    if (uint64_t(tree->numerator()) * plan.largest.denominator >
        uint64_t(plan.largest.numerator) * tree->denominator())
      plan.largest = plan.trees.back();
    before += tree->numerator();
    if (before == tree->denominator()) // this was the block's last tree
      before = 0;
  }
  table.startVariant(resolved.program->collective());
  plan.rings.reserve(variant.channels()->size());
  for (const sched::Channel *channel : *variant.channels()) {
    PairRings &pair = table.of(resolved.jobRank(channel->source()),
                               resolved.jobRank(channel->destination()),
                               servers.nicsOf(resolved, variant, *channel));
    plan.rings.push_back(pair.first + pair.used++);
    plan.slots.push_back(channel->slots());
    plan.paces.push_back(
        {channel->window() ? channel->window() : channel->slots()});
  }
  plan.slots.push_back(0);
  plan.paces.emplace_back();
  notePartialSums(*resolved.program, part, plan);
  const double blockRate = blockRateOf(*resolved.program);
  for (RankPlan &rank : plan.ranks)
    finishRank(rank, blockRate, plan);
  plan.inStep = !plan.pairwise && areInStep(plan);
  plan.directBlocks.pop_back();
  plan.quiet.pop_back();
  plan.borrowed.pop_back();
  plan.slots.pop_back();
  plan.paces.pop_back();
  if (!plan.partial.empty())
    plan.partial.pop_back();
  return plan;
}

void noteUse(const VariantPlan &variant, ProgramPlan &program, Plan &plan) {
  plan.numTrees = std::max(plan.numTrees, uint32_t(variant.trees.size()));
  if (sched::isPairwise(program.program->collective())) {
    std::vector<uint32_t> ofBlock;
    for (const sched::Tree *tree : *variant.variant->trees()) {
      ofBlock.resize(std::max(ofBlock.size(), size_t(tree->block()) + 1));
      plan.numMessageTrees =
          std::max(plan.numMessageTrees, ++ofBlock[tree->block()]);
    }
  }
  for (size_t rank = 0; rank < variant.ranks.size(); ++rank) {
    const RankCode &code = variant.ranks[rank].code;
    if (!sched::isPairwise(program.program->collective()))
      plan.numLanes = std::max(plan.numLanes, code.numLanes);
    for (size_t s = 0; s < variant.ranks[rank].borrows.size(); ++s) {
      const StepCode &step = code.steps[s];
      plan.numOperands = std::max(plan.numOperands, step.numOperands());
      if (step.sources > 1 &&
          step.sources != program.program->allocation()->size() &&
          program.program->accumulate() == sched::Accumulation::none)
        program.roundsOnce = false;
      for (uint32_t i = 0; i < step.numOperands(); ++i) {
        OperandKind kind = code.operands[step.operandsBegin + i].kind;
        if (kind == OperandKind::input)
          program.readsInput[rank] = true;
        else if (kind == OperandKind::output)
          program.usesOutput[rank] = true;
      }
    }
  }
}

/// The kinds of rings that a step writes.
struct StepRings {
  bool apart = false; ///< any ring that is kept apart
  bool near = false;  ///< any other ring
};

StepRings ringsOf(const RankPlan &rank, size_t number,
                  const VariantPlan &variant,
                  const std::vector<RingPlan> &rings) {
  const StepCode &step = rank.code.steps[number];
  const OperandCode *operands = rank.code.operands + step.operandsBegin;
  StepRings result;
  for (uint32_t i = step.sources; i < step.numOperands(); ++i)
    if (operands[i].kind == OperandKind::channel)
      (rings[variant.rings[operands[i].index]].apart ? result.apart
                                                     : result.near) = true;
  return result;
}

/// Does for step `number` what Plan::keepApart promises.
void keepStepApart(RankPlan &rank, size_t number, StepRings rings) {
  if (!rings.apart)
    return;
  if (!rings.near) {
    rank.sentBorrows.resize(rank.borrows.size(), Borrow::none);
    rank.sentBorrows[number] = rank.borrows[number];
  }
  rank.borrows[number] = rank.fetchedBorrows[number] = Borrow::none;
  rank.sharedSlots[number] = 0;
}

/// Returns for each rank whether it is on the server of a rank that is `here`.
std::vector<bool> besides(const std::vector<bool> &here, const Plan &plan) {
  std::vector<bool> servers(size_t(plan.numServers), here.empty());
  for (size_t rank = 0; rank < here.size(); ++rank)
    if (here[rank])
      servers[plan.serverOf[rank]] = true;
  std::vector<bool> ranks;
  for (uint16_t server : plan.serverOf)
    ranks.push_back(servers[server]);
  return ranks;
}

/// Numbers the rings with the same ends and NICs: first those of collectives,
/// then those of messages.
void numberBetween(std::vector<RingPlan> &rings) {
  std::map<PairKey, uint32_t> counts;
  for (RingPlan &ring : rings)
    ring.between = counts[{false, ring.source, ring.destination, ring.nics}]++;
}

/// Lays out the pool for the rings that both ends reach.
void layPool(Plan &plan) {
  plan.poolBytes = 0;
  plan.numSlots = 0;
  for (RingPlan &ring : plan.rings) {
    if (ring.apart || ring.elsewhere)
      continue;
    ring.offset = plan.poolBytes;
    ring.firstSlot = plan.numSlots;
    plan.poolBytes += ring.bytes;
    plan.numSlots += ring.slots;
  }
}

} // namespace

const VariantPlan &ProgramPlan::variantFor(uint64_t bytes) const {
  for (const VariantPlan &variant : variants)
    if (bytes < variant.variant->max_bytes())
      return variant;
  return variants.back(); // for calls of 2^64 - 1 bytes
}

Status Plan::create(const ScheduleSet &files, int numRanks, const JobGpus &gpus,
                    Plan &plan, uint64_t slotBytes, sched::ReductionOrder order,
                    const std::vector<bool> &here) {
  plan.numRanks = numRanks;
  plan.files = files;
  plan.gpus = gpus;
  plan.order = order;
  ProgramLookup lookup;
  Status status = lookUpPrograms(files, numRanks, gpus, lookup);
  if (!status.ok())
    return status;
  plan.notes = std::move(lookup.notes);
  Servers servers;
  status = servers.find(lookup.programs, numRanks, gpus.hosts);
  if (!status.ok())
    return status;
  plan.numServers = servers.numServers();
  plan.serverOf = servers.ofRanks();
  std::vector<bool> known;
  status = expandPrograms(lookup.programs, besides(here, plan), plan.expanded,
                          known);
  if (!status.ok())
    return status;
  RingTable table;
  const uint32_t chunkLimit =
      claimAllRings(lookup.programs, known, slotBytes, servers, table);
  plan.nics = servers.nics();
  plan.fingerprint =
      sched::hash64(&chunkLimit, sizeof(chunkLimit), lookup.fingerprint);
  if (!gpus.hosts.empty()) // some programs were left out because of these
    plan.fingerprint = sched::hash64(
        plan.serverOf.data(), plan.serverOf.size() * sizeof(plan.serverOf[0]),
        plan.fingerprint);
  if (order != sched::ReductionOrder::none)
    plan.fingerprint = sched::hash64(&order, sizeof(order), plan.fingerprint);
  table.forEach([&](PairRings &pair) {
    pair.first = uint32_t(plan.rings.size());
    plan.rings.insert(plan.rings.end(), pair.rings.begin(), pair.rings.end());
  });
  numberBetween(plan.rings);
  layPool(plan);
  const sched::VariantPart whole;
  uint32_t number = 0;
  for (const ResolvedProgram &chosen : lookup.programs) {
    ProgramPlan &program = plan.programs.emplace_back();
    program.program = chosen.program;
    program.root = chosen.root;
    program.order = chosen.order();
    program.readsInput.resize(numRanks);
    program.usesOutput.resize(numRanks);
    for (const sched::Variant *variant : *chosen.program->variants()) {
      const size_t v = program.variants.size();
      program.variants.push_back(planVariant(
          chosen, *variant, chosen.parts.empty() ? whole : chosen.parts[v],
          number++, servers, table, chunkLimit));
      noteUse(program.variants.back(), program, plan);
    }
  }
  return {};
}

void Plan::keepApart(const std::vector<bool> &apart) {
  // Nearly always no ring is apart.
  if (std::find(apart.begin(), apart.end(), true) == apart.end())
    return;
  for (size_t r = 0; r < rings.size(); ++r)
    rings[r].apart = apart[r];
  layPool(*this);
  for (ProgramPlan &program : programs)
    for (VariantPlan &variant : program.variants)
      for (RankPlan &rank : variant.ranks)
        // A rank without lanes only has the other ends of channels of ranks
        // here.
        for (size_t s = 0; rank.code.numLanes > 0 && s < rank.borrows.size();
             ++s)
          keepStepApart(rank, s, ringsOf(rank, s, variant, rings));
}

void Plan::keepServer(uint16_t server) {
  for (RingPlan &ring : rings)
    ring.elsewhere =
        serverOf[ring.source] != server && serverOf[ring.destination] != server;
  layPool(*this);
}

int Plan::ranksOf(uint16_t server) const {
  return int(std::count(serverOf.begin(), serverOf.end(), server));
}

Status Plan::find(sched::Collective collective, int root,
                  const ProgramPlan *&result) const {
  for (const ProgramPlan &program : programs)
    if (program.root == root && program.program->collective() == collective) {
      result = &program;
      return {};
    }
  std::string roots;
  for (const ProgramPlan &program : programs)
    if (program.program->collective() == collective)
      roots += (roots.empty() ? "" : ", ") + std::to_string(program.root);
  std::string name = sched::EnumNameCollective(collective);
  std::string ranks = std::to_string(numRanks) + " ranks";
  if (roots.empty())
    return {blinkInvalidUsage, "the schedule has no " + name + " for " + ranks +
                                   ": compile one and open or add it" + notes};
  return Status(blinkInvalidUsage, "the schedule has no ", name, " for ", ranks,
                " with root ", root, ", only with root ", roots,
                ": compile one and add it", notes);
}

Status Plan::checkOrder(const ProgramPlan &program, size_t elementBytes) const {
  constexpr size_t kNarrow = 2;
  if (program.order < order)
    return Status(blinkInvalidUsage, "the schedule promises order ",
                  sched::EnumNameReductionOrder(program.order),
                  " of sums, and the communicator asks for ",
                  sched::EnumNameReductionOrder(order),
                  ": compile with blinkc compile --order ",
                  sched::EnumNameReductionOrder(order));
  if (order != sched::ReductionOrder::none && elementBytes <= kNarrow &&
      !program.roundsOnce)
    return Status(blinkInvalidUsage,
                  "the schedule adds in several steps, "
                  "between which types of 8 and 16 bits are rounded, and the "
                  "communicator asks for order ",
                  sched::EnumNameReductionOrder(order),
                  ": compile with blinkc compile --accumulate f32, use a type "
                  "of 32 bits, or ask for no order");
  return {};
}

} // namespace blink::runtime
