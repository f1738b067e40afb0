//===- RenameProgram.cpp - renaming ranks and nodes of a program ----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/target/RenameProgram.h"

#include "compiler/support/Error.h"
#include "compiler/support/Numbers.h"
#include "compiler/target/FoldProgramFile.h"
#include "compiler/target/ScheduleTopology.h"
#include "schedules/ScheduleFile.h"

#include <algorithm>

using namespace blink;

namespace {

class Renamer {
public:
  Renamer(const sched::Schedule &file, const sched::Program &program,
          const Names &names, const Topology &machine)
      : file_(file), program_(program), names_(names), machine_(machine),
        numRanks_(static_cast<int>(program.allocation()->size())) {}

  llvm::Expected<std::vector<uint8_t>> run(const sched::Settings &settings);

private:
  llvm::Error findLinks();
  int newBlock(int block) const;
  int newIndex(const FoldProgram::Operand &operand) const;
  flatbuffers::Offset<sched::Variant> rename(const sched::Variant &from);
  sched::ReductionOrder newOrder() const;
  flatbuffers::Offset<sched::Certificate> writeCertificate();

  const sched::Schedule &file_;
  const sched::Program &program_;
  const Names &names_;
  const Topology &machine_;
  const int numRanks_;
  std::vector<int> newLink_; // per link; -1: its image is no link
  flatbuffers::FlatBufferBuilder builder_;
};

/// Finds the image of each link, and checks those that the program needs.
llvm::Error Renamer::findLinks() {
  const auto &links = *file_.topology()->links();
  const auto indices = machine_.linkIndices();
  for (const sched::Link *link : links) {
    auto found = indices.find(
        {names_.nodes[link->from()], names_.nodes[link->to()], link->kind()});
    newLink_.push_back(found == indices.end() ? -1 : found->second);
  }
  auto needed = [&](uint32_t link) {
    return newLink_[link] >= 0
               ? llvm::Error::success()
               : makeError("link " + std::to_string(link) +
                           " is carried to where no link of its kind is");
  };
  for (const sched::Variant *variant : *program_.variants()) {
    for (uint32_t link : *variant->paths())
      if (llvm::Error error = needed(link))
        return error;
    if (variant->switches())
      for (const sched::SwitchUse *use : *variant->switches())
        for (uint32_t link : {use->to_switch(), use->from_switch()})
          if (llvm::Error error = needed(link))
            return error;
  }
  for (uint32_t link = 0; link < links.size(); ++link)
    if (program_.certificate()->prices()->Get(link) != 0)
      if (llvm::Error error = needed(link))
        return error;
  return llvm::Error::success();
}

/// Returns the new number of a tree's block; see Collective in schedule.fbs.
int Renamer::newBlock(int block) const {
  const sched::CollectiveTraits &traits = traitsOf(program_.collective());
  if (traits.scattersInput && traits.gathersOutput)
    return names_.ranks[block / numRanks_] * numRanks_ +
           names_.ranks[block % numRanks_];
  return traits.scattersInput || traits.gathersOutput ? names_.ranks[block]
                                                      : block;
}

int Renamer::newIndex(const FoldProgram::Operand &operand) const {
  const sched::CollectiveTraits &traits = traitsOf(program_.collective());
  const bool ofRank =
      (operand.kind == sched::OperandKind::input && traits.scattersInput) ||
      (operand.kind == sched::OperandKind::output && traits.gathersOutput);
  return ofRank ? names_.ranks[operand.index] : operand.index;
}

flatbuffers::Offset<sched::Variant>
Renamer::rename(const sched::Variant &from) {
  FoldProgram program = readProgram(file_, program_, from);
  for (FoldProgram::Tree &tree : program.trees) {
    tree.block = newBlock(tree.block);
    tree.root = names_.ranks[tree.root];
    if (tree.switchUse.works()) {
      tree.switchUse.toSwitch = newLink_[tree.switchUse.toSwitch];
      tree.switchUse.fromSwitch = newLink_[tree.switchUse.fromSwitch];
    }
  }
  // Trees must be sorted by block.
  std::vector<int> order = firstNumbers(program.trees.size());
  std::vector<int> newTree(order.size());
  llvm::stable_sort(order, [&](int a, int b) {
    return program.trees[a].block < program.trees[b].block;
  });
  std::vector<FoldProgram::Tree> trees;
  for (int tree : order) {
    newTree[tree] = static_cast<int>(trees.size());
    trees.push_back(program.trees[tree]);
  }
  program.trees = std::move(trees);
  for (FoldProgram::Channel &channel : program.channels) {
    channel.tree = newTree[channel.tree];
    channel.source = names_.ranks[channel.source];
    channel.destination = names_.ranks[channel.destination];
  }
  for (uint32_t &link : program.paths)
    link = static_cast<uint32_t>(newLink_[link]);
  std::vector<FoldProgram::Rank> ranks(numRanks_);
  for (int rank = 0; rank < numRanks_; ++rank) {
    FoldProgram::Rank &own = program.ranks[rank];
    for (FoldProgram::Fold &fold : own.folds)
      fold.tree = newTree[fold.tree];
    for (FoldProgram::Operand &operand : own.operands)
      operand.index = newIndex(operand);
    ranks[names_.ranks[rank]] = std::move(own);
  }
  program.ranks = std::move(ranks);
  // The renamed machine is the same machine, so the times are the same.
  std::vector<sched::TimePoint> times;
  if (from.times())
    for (const sched::TimePoint *point : *from.times())
      times.push_back(*point);
  return writeVariant(builder_, program, from.min_bytes(), from.max_bytes(),
                      from.protocol(), sched::chunksOf(from), times);
}

/// A sum in the order of ranks has another order under new names, so it is only
/// `invariant` then.
sched::ReductionOrder Renamer::newOrder() const {
  const bool same = llvm::equal(names_.ranks, firstNumbers(numRanks_));
  return same ? program_.order()
              : std::min(program_.order(), sched::ReductionOrder::invariant);
}

flatbuffers::Offset<sched::Certificate> Renamer::writeCertificate() {
  const sched::Certificate &from = *program_.certificate();
  std::vector<double> prices(machine_.links.size(), 0);
  for (uint32_t link = 0; link < newLink_.size(); ++link)
    if (from.prices()->Get(link) != 0)
      prices[newLink_[link]] += from.prices()->Get(link);
  return sched::CreateCertificate(builder_, from.bound(),
                                  builder_.CreateVector(prices));
}

llvm::Expected<std::vector<uint8_t>>
Renamer::run(const sched::Settings &settings) {
  if (program_.relays() && program_.relays()->size() > 0)
    return makeError("a program with relays cannot be renamed");
  if (machine_.nodes.size() != file_.topology()->nodes()->size())
    return makeError("the machines have not the same nodes");
  if (llvm::Error error = findLinks())
    return error;
  std::vector<flatbuffers::Offset<sched::Variant>> variants;
  for (const sched::Variant *variant : *program_.variants())
    variants.push_back(rename(*variant));
  const uint16_t root = sched::isRooted(program_.collective())
                            ? names_.ranks[program_.root()]
                            : uint16_t(0);
  auto program = sched::CreateProgram(
      builder_, program_.collective(), root, builder_.CreateVector(names_.gpus),
      program_.algbw(), writeCertificate(), builder_.CreateVector(variants),
      /*relays=*/0, newOrder(), program_.accumulate());
  auto provenance = sched::writeProvenance(
      builder_, file_.provenance()->compiler()->str(), settings);
  auto topology = writeTopology(builder_, machine_);
  auto schedule = sched::CreateSchedule(
      builder_, sched::kFormatVersion, provenance, file_.link_kinds(), topology,
      builder_.CreateVector(std::vector{program}));
  std::vector<uint8_t> bytes = sched::sealSchedule(builder_, schedule);
  std::string error;
  if (!sched::openSchedule(bytes.data(), bytes.size(), error))
    return makeError("renamed, the schedule breaks a rule: " + error);
  return bytes;
}

} // namespace

llvm::Expected<std::vector<uint8_t>>
blink::renameProgram(const sched::Schedule &file, const sched::Program &program,
                     const Names &names, const Topology &machine,
                     const sched::Settings &settings) {
  return Renamer(file, program, names, machine).run(settings);
}
