//===- RenameProgram.cpp - a program under other names --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/target/RenameProgram.h"
#include "compiler/support/Error.h"

#include "schedules/ScheduleFile.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

using namespace blink;

namespace {

class Renamer {
public:
  Renamer(const sched::Schedule &file, const sched::Program &program,
          const Names &names, const Topology &machine)
      : file_(file), program_(program), names_(names), machine_(machine),
        numRanks_(program.allocation()->size()) {}

  llvm::Expected<std::vector<uint8_t>> run(llvm::StringRef options);

private:
  llvm::Error findLinks();
  uint32_t newBlock(uint32_t block) const;
  uint32_t newIndex(const sched::Operand &operand) const;
  flatbuffers::Offset<sched::Topology> writeTopology();
  flatbuffers::Offset<sched::Variant> writeVariant(const sched::Variant &from);
  flatbuffers::Offset<sched::RankProgram>
  writeRank(const sched::RankProgram &from,
            const std::vector<uint32_t> &newTree);
  flatbuffers::Offset<sched::Certificate> writeCertificate();

  const sched::Schedule &file_;
  const sched::Program &program_;
  const Names &names_;
  const Topology &machine_;
  const uint32_t numRanks_;
  std::vector<int64_t> newLink_; // per link; -1: the names do not carry it
  flatbuffers::FlatBufferBuilder builder_;
};

/// Carries the links whose ends have new names.
llvm::Error Renamer::findLinks() {
  const auto &links = *file_.topology()->links();
  std::map<std::tuple<int, int, LinkKind>, size_t> indices;
  for (size_t i = 0; i < machine_.links.size(); ++i) {
    const Link &link = machine_.links[i];
    indices[{link.from, link.to, link.kind}] = i;
  }
  for (const sched::Link *link : links) {
    auto found = indices.find(
        {names_.nodes[link->from()], names_.nodes[link->to()], link->kind()});
    newLink_.push_back(found == indices.end() ? -1 : int64_t(found->second));
  }
  auto needed = [&](uint32_t link) {
    return newLink_[link] >= 0
               ? llvm::Error::success()
               : makeError("link " + std::to_string(link) +
                           " is carried to where no link of its kind is");
  };
  for (const sched::Variant *variant : *program_.variants())
    for (uint32_t link : *variant->paths())
      if (llvm::Error error = needed(link))
        return error;
  for (uint32_t link = 0; link < links.size(); ++link)
    if (program_.certificate()->prices()->Get(link) != 0)
      if (llvm::Error error = needed(link))
        return error;
  return llvm::Error::success();
}

/// Of a tree's block; see Collective in schedule.fbs.
uint32_t Renamer::newBlock(uint32_t block) const {
  if (program_.collective() == sched::Collective::alltoall)
    return names_.ranks[block / numRanks_] * numRanks_ +
           names_.ranks[block % numRanks_];
  return sched::inputBlocks(program_.collective(), numRanks_) > 1 ||
                 sched::outputBlocks(program_.collective(), numRanks_) > 1
             ? names_.ranks[block]
             : block;
}

uint32_t Renamer::newIndex(const sched::Operand &operand) const {
  uint32_t blocks = 1;
  if (operand.kind() == sched::OperandKind::input)
    blocks = sched::inputBlocks(program_.collective(), numRanks_);
  else if (operand.kind() == sched::OperandKind::output)
    blocks = sched::outputBlocks(program_.collective(), numRanks_);
  return blocks > 1 ? names_.ranks[operand.index()] : operand.index();
}

flatbuffers::Offset<sched::Topology> Renamer::writeTopology() {
  std::vector<flatbuffers::Offset<sched::Node>> nodes;
  for (const Node &node : machine_.nodes)
    nodes.push_back(sched::CreateNode(builder_, builder_.CreateString(node.id),
                                      node.kind, node.multicast, node.reduce));
  std::vector<sched::Link> links;
  for (const Link &link : machine_.links)
    links.emplace_back(link.bandwidth, link.latency,
                       static_cast<uint32_t>(link.from),
                       static_cast<uint32_t>(link.to), link.kind);
  return sched::CreateTopology(
      builder_, builder_.CreateString(machine_.name), machine_.fingerprint(),
      builder_.CreateVector(nodes), builder_.CreateVectorOfStructs(links));
}

flatbuffers::Offset<sched::RankProgram>
Renamer::writeRank(const sched::RankProgram &from,
                   const std::vector<uint32_t> &newTree) {
  std::vector<sched::Lane> lanes;
  for (const sched::Lane *lane : *from.lanes())
    lanes.push_back(*lane);
  std::vector<sched::Step> steps;
  for (const sched::Step *step : *from.steps())
    steps.emplace_back(newTree[step->tree()], step->operands_begin(),
                       step->sources(), step->destinations(),
                       step->completes());
  std::vector<sched::Operand> operands;
  for (const sched::Operand *operand : *from.operands())
    operands.emplace_back(newIndex(*operand), operand->kind());
  return sched::CreateRankProgram(builder_,
                                  builder_.CreateVectorOfStructs(lanes),
                                  builder_.CreateVectorOfStructs(steps),
                                  builder_.CreateVectorOfStructs(operands));
}

flatbuffers::Offset<sched::Variant>
Renamer::writeVariant(const sched::Variant &from) {
  // Trees are sorted by block.
  std::vector<uint32_t> order(from.trees()->size()), newTree(order.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return newBlock(from.trees()->Get(a)->block()) <
           newBlock(from.trees()->Get(b)->block());
  });
  std::vector<sched::Tree> trees;
  for (uint32_t tree : order) {
    const sched::Tree &old = *from.trees()->Get(tree);
    newTree[tree] = static_cast<uint32_t>(trees.size());
    trees.emplace_back(old.numerator(), old.denominator(),
                       newBlock(old.block()), names_.ranks[old.root()],
                       old.depth());
  }
  std::vector<sched::Channel> channels;
  for (const sched::Channel *channel : *from.channels())
    channels.emplace_back(
        newTree[channel->tree()], channel->path_begin(), channel->path_count(),
        names_.ranks[channel->source()], names_.ranks[channel->destination()],
        channel->slots(), channel->kind());
  std::vector<uint32_t> paths;
  for (uint32_t link : *from.paths())
    paths.push_back(static_cast<uint32_t>(newLink_[link]));
  std::vector<flatbuffers::Offset<sched::RankProgram>> ranks(numRanks_);
  for (uint32_t rank = 0; rank < numRanks_; ++rank)
    ranks[names_.ranks[rank]] = writeRank(*from.ranks()->Get(rank), newTree);
  return sched::CreateVariant(
      builder_, from.min_bytes(), from.max_bytes(), from.protocol(),
      from.chunk_bytes(), builder_.CreateVectorOfStructs(trees),
      builder_.CreateVectorOfStructs(channels), builder_.CreateVector(paths),
      builder_.CreateVector(ranks));
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

llvm::Expected<std::vector<uint8_t>> Renamer::run(llvm::StringRef options) {
  if (program_.relays() && program_.relays()->size() > 0)
    return makeError("a program with relays cannot be renamed");
  if (machine_.nodes.size() != file_.topology()->nodes()->size())
    return makeError("the machines have not the same nodes");
  if (llvm::Error error = findLinks())
    return error;
  std::vector<flatbuffers::Offset<sched::Variant>> variants;
  for (const sched::Variant *variant : *program_.variants())
    variants.push_back(writeVariant(*variant));
  const uint16_t root = sched::isRooted(program_.collective())
                            ? names_.ranks[program_.root()]
                            : uint16_t(0);
  auto program = sched::CreateProgram(
      builder_, program_.collective(), root, builder_.CreateVector(names_.gpus),
      program_.algbw(), writeCertificate(), builder_.CreateVector(variants));
  auto schedule = sched::CreateSchedule(
      builder_, sched::kFormatVersion,
      builder_.CreateString(file_.compiler()->str()),
      builder_.CreateString(options.str()), file_.link_kinds(), writeTopology(),
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
                     llvm::StringRef options) {
  return Renamer(file, program, names, machine).run(options);
}
