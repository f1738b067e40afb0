//===- Renaming.cpp - a program on other GPUs than its own ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/verify/Renaming.h"

#include "compiler/verify/Bandwidth.h"
#include "schedules/BundleFile.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace blink::verify {

Renaming::Own::Own(const sched::Schedule &file, const sched::Program &program)
    : machine(file, program) {
  using Look =
      std::tuple<uint16_t, uint16_t, sched::ChannelKind, std::vector<uint32_t>>;
  std::set<Look> met;
  for (const sched::Variant *variant : *program.variants())
    for (const sched::Channel *channel : *variant->channels()) {
      const uint32_t *links = variant->paths()->data() + channel->path_begin();
      std::vector<uint32_t> path(links, links + channel->path_count());
      if (met.insert({channel->source(), channel->destination(),
                      channel->kind(), path})
              .second)
        channels.emplace_back(channel, std::move(path));
    }
  const sched::Variant &last =
      *program.variants()->Get(program.variants()->size() - 1);
  loads = linkLoads(machine, Semantics(program), last);
  costs = reprice(machine, program).costs;
}

Renaming::Renaming(const sched::Schedule &file, const sched::Schedule &onto,
                   const FailedLinks &failed)
    : onto_(onto, {}, failed) {
  for (uint32_t index = 0; index < onto_.numLinks(); ++index) {
    const sched::Link &link = onto_.link(index);
    if (!failed.contains(link))
      links_.insert({{link.from(), link.to(), link.kind()}, index});
  }
  for (const sched::Program *program : *file.programs())
    programs_.try_emplace(program, file, *program);
}

/// One check of one program.
class Renaming::ProgramCheck {
public:
  ProgramCheck(const Renaming &names, const sched::Program &program,
               const std::vector<uint16_t> &map, std::set<uint32_t> *used)
      : names_(names), program_(program), map_(map), used_(used),
        facts_(names.programs_.at(&program)), own_(facts_.machine),
        images_(own_.numLinks(), kNone) {}

  Failure run(const std::vector<uint32_t> &gpus) {
    Failure problem = checkGpus(gpus);
    if (problem)
      return problem;
    const TopologyView there = names_.onto_.on(nodes_);
    problem = checkChannels(there);
    if (!problem)
      problem = checkRate(there);
    if (!problem)
      problem = checkBound(there);
    return problem;
  }

private:
  static constexpr uint32_t kNone = ~uint32_t(0);

  Failure checkGpus(const std::vector<uint32_t> &gpus);
  Failure carry(const TopologyView &there, uint32_t link);
  Failure checkChannels(const TopologyView &there);
  Failure checkSwitches(const TopologyView &there);
  Failure checkRate(const TopologyView &there);
  Failure checkBound(const TopologyView &there);

  const Renaming &names_;
  const sched::Program &program_;
  const std::vector<uint16_t> &map_;
  std::set<uint32_t> *const used_;
  const Own &facts_;
  const TopologyView &own_;
  std::vector<uint32_t> nodes_;  // mapped, by rank
  std::vector<uint32_t> images_; // of links; kNone if not yet known
};

Failure Renaming::ProgramCheck::checkGpus(const std::vector<uint32_t> &gpus) {
  for (const TopologyView *machine : {&own_, &names_.onto_})
    if (map_.size() != machine->numNodes())
      return "a map of " + std::to_string(map_.size()) +
             " nodes for a machine of " + std::to_string(machine->numNodes());
  if (own_.numPrograms() != own_.numRanks())
    return std::string("the program has relays, which no map is about");
  for (uint32_t rank = 0; rank < own_.numRanks(); ++rank) {
    const uint32_t node = map_[own_.nodeOf(rank)];
    if (std::find(gpus.begin(), gpus.end(), node) == gpus.end() ||
        own_.kindOf(node) != sched::NodeKind::gpu)
      return "rank " + std::to_string(rank) +
             " is carried onto no GPU of the allocation";
    if (std::find(nodes_.begin(), nodes_.end(), node) != nodes_.end())
      return "rank " + std::to_string(rank) +
             " is carried onto the GPU of another rank";
    nodes_.push_back(node);
  }
  if (nodes_.size() != gpus.size())
    return "a program of " + std::to_string(nodes_.size()) + " ranks for " +
           std::to_string(gpus.size()) + " GPUs";
  return std::nullopt;
}

/// Finds the image of a link and checks it.
Failure Renaming::ProgramCheck::carry(const TopologyView &there,
                                      uint32_t index) {
  if (images_[index] != kNone)
    return std::nullopt;
  const sched::Link &link = own_.link(index);
  const uint32_t ends[2] = {link.from(), link.to()};
  for (uint32_t end : ends) {
    if (map_[end] == sched::kUnmapped || map_[end] >= own_.numNodes())
      return own_.describe(index) +
             " is used or priced, and the map says nothing of an end";
    if (there.kindOf(map_[end]) != own_.kindOf(end))
      return own_.describe(index) + " is carried to a node of another kind";
  }
  const auto found =
      names_.links_.find({map_[ends[0]], map_[ends[1]], link.kind()});
  if (found == names_.links_.end())
    return own_.describe(index) + " is carried to where no link of its kind is";
  const sched::Link &image = there.link(found->second);
  if (image.bandwidth() < link.bandwidth())
    return own_.describe(index) + " is carried onto " +
           there.describe(found->second) + ", which has less bandwidth";
  if (image.latency() > link.latency())
    return own_.describe(index) + " is carried onto " +
           there.describe(found->second) + ", which has more latency";
  images_[index] = found->second;
  return std::nullopt;
}

Failure Renaming::ProgramCheck::checkChannels(const TopologyView &there) {
  std::vector<uint32_t> image;
  for (const auto &[channel, path] : facts_.channels) {
    image.clear();
    for (uint32_t link : path) {
      if (Failure problem = carry(there, link))
        return problem;
      image.push_back(images_[link]);
    }
    if (used_)
      used_->insert(image.begin(), image.end());
    if (Failure problem = checkPath(there, *channel, image))
      return "the channel from rank " + std::to_string(channel->source()) +
             " to rank " + std::to_string(channel->destination()) +
             ", carried over: " + *problem;
  }
  return checkSwitches(there);
}

/// Checks that a switch that works for a tree is mapped to one with the same
/// abilities.
Failure Renaming::ProgramCheck::checkSwitches(const TopologyView &there) {
  for (const sched::Variant *variant : *program_.variants()) {
    if (!variant->switches())
      continue;
    for (const sched::SwitchUse *use : *variant->switches()) {
      for (uint32_t link : {use->to_switch(), use->from_switch()})
        if (Failure problem = carry(there, link))
          return problem;
      const sched::Node &node =
          there.node(there.link(images_[use->to_switch()]).to());
      if ((use->reduces() && !node.reduce()) ||
          (use->multicasts() && !node.multicast()))
        return "a switch works for tree " + std::to_string(use->tree()) +
               " and is carried to " + node.id()->str() + ", which cannot";
    }
  }
  return std::nullopt;
}

/// Checks the rate; two links that are mapped to one have to share it.
Failure Renaming::ProgramCheck::checkRate(const TopologyView &there) {
  const std::vector<double> &loads = facts_.loads;
  std::vector<double> carried(there.numLinks(), 0);
  for (uint32_t link = 0; link < loads.size(); ++link)
    if (loads[link] > 0)
      carried[images_[link]] += loads[link];
  const Bandwidth bandwidth = rateOf(there, carried);
  if (bandwidth.algbw >= program_.algbw() ||
      nearlyEqual(bandwidth.algbw, program_.algbw()))
    return std::nullopt;
  return "carried over, the links sustain " + std::to_string(bandwidth.algbw) +
         " GB/s, less than the stated " + std::to_string(program_.algbw()) +
         ": limited by " + there.describe(bandwidth.bottleneck);
}

Failure Renaming::ProgramCheck::checkBound(const TopologyView &there) {
  const sched::Certificate &certificate = *program_.certificate();
  std::vector<double> prices(there.numLinks(), 0);
  if (certificate.prices()->size() != own_.numLinks())
    return std::to_string(certificate.prices()->size()) + " prices for " +
           std::to_string(own_.numLinks()) + " links";
  for (uint32_t link = 0; link < own_.numLinks(); ++link) {
    const double price = certificate.prices()->Get(link);
    if (price == 0)
      continue;
    if (Failure problem = carry(there, link))
      return problem;
    prices[images_[link]] += price;
  }
  const Repricing again = reprice(there, program_, prices, facts_.costs);
  if (again.problem)
    return again.problem;
  if (again.bound <= certificate.bound() ||
      nearlyEqual(again.bound, certificate.bound()))
    return std::nullopt;
  return "carried over, the prices prove a bound of " +
         std::to_string(again.bound) + " GB/s and not the stated " +
         std::to_string(certificate.bound());
}

Failure Renaming::check(const sched::Program &program,
                        const std::vector<uint16_t> &map,
                        const std::vector<uint32_t> &gpus,
                        std::set<uint32_t> *used) const {
  return ProgramCheck(*this, program, map, used).run(gpus);
}

} // namespace blink::verify
