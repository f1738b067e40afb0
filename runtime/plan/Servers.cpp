//===- Servers.cpp - which ranks share a server ---------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/Servers.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace blink::runtime {
namespace {

/// Returns the values replaced by 0, 1, ... in the order of their first
/// occurrence.
template <typename T>
std::vector<uint16_t> numbered(const std::vector<T> &values) {
  std::map<T, uint16_t> numbers;
  std::vector<uint16_t> result;
  for (const T &value : values)
    result.push_back(
        numbers.try_emplace(value, uint16_t(numbers.size())).first->second);
  return result;
}

/// Returns the ranks of each server, as "{0-2} {3,5}".
std::string placementText(const std::vector<uint16_t> &servers) {
  std::map<uint16_t, std::string> ranksOf;
  for (size_t first = 0; first < servers.size();) {
    size_t end = first;
    while (end < servers.size() && servers[end] == servers[first])
      ++end;
    std::string &ranks = ranksOf[servers[first]];
    ranks += (ranks.empty() ? "" : ",") + std::to_string(first);
    if (end - first > 1)
      ranks += "-" + std::to_string(end - 1);
    first = end;
  }
  std::string text;
  for (const auto &[server, ranks] : ranksOf)
    text += (text.empty() ? "{" : " {") + ranks + "}";
  return text;
}

} // namespace

//===-- One topology ------------------------------------------------------===//

TopologyServers::TopologyServers(const sched::Topology &topology)
    : topology_(topology) {
  for (uint32_t n = 0; n < topology.nodes()->size(); ++n) {
    const sched::NodeKind kind = topology.nodes()->Get(n)->kind();
    any_ |= kind == sched::NodeKind::nic;
    if (kind == sched::NodeKind::gpu)
      gpuNodes_.push_back(n);
  }
  findPieces();
  if (any_)
    findNics();
}

/// A piece has the number of one of its nodes.
void TopologyServers::findPieces() {
  pieces_.resize(topology_.nodes()->size());
  std::iota(pieces_.begin(), pieces_.end(), 0u);
  const auto find = [this](uint32_t node) {
    while (pieces_[node] != node)
      node = pieces_[node] = pieces_[pieces_[node]];
    return node;
  };
  const auto isNic = [this](uint32_t node) {
    return topology_.nodes()->Get(node)->kind() == sched::NodeKind::nic;
  };
  for (const sched::Link *link : *topology_.links())
    if (!isNic(link->from()) && !isNic(link->to()))
      pieces_[find(link->from())] = find(link->to());
  for (uint32_t node = 0; node < pieces_.size(); ++node)
    pieces_[node] = find(node);
}

/// Numbers NICs in the order of the links, so that equal servers have equal
/// numbers.
void TopologyServers::findNics() {
  const auto &nodes = *topology_.nodes();
  std::set<uint32_t> withGpus;
  for (uint32_t node : gpuNodes_)
    withGpus.insert(pieces_[node]);
  std::vector<std::pair<uint32_t, uint32_t>> ends; // inside, nic node
  std::map<uint32_t, std::set<uint32_t>> joined;   // by nic node
  for (const sched::Link *link : *topology_.links()) {
    uint32_t inside = link->from(), nic = link->to();
    if (nodes.Get(inside)->kind() == sched::NodeKind::nic)
      std::swap(inside, nic);
    if (nodes.Get(nic)->kind() != sched::NodeKind::nic ||
        nodes.Get(inside)->kind() == sched::NodeKind::nic ||
        withGpus.count(pieces_[inside]) == 0)
      continue;
    ends.emplace_back(inside, nic);
    joined[nic].insert(pieces_[inside]);
  }
  std::map<uint32_t, uint16_t> count;  // number of NICs by piece
  std::map<uint32_t, uint16_t> ofNode; // NIC numbers, by nic node
  for (auto [inside, nic] : ends) {
    if (nics_.count({inside, nic}) != 0)
      continue;
    const uint32_t piece = pieces_[inside];
    const std::string id = nodes.Get(nic)->id()->str();
    if (joined[nic].size() > 1) {
      nics_[{inside, nic}] = {piece, count[piece]++, nic,
                              nodes.Get(inside)->id()->str() + ":" + id};
      continue;
    }
    if (const auto [place, isNew] = ofNode.try_emplace(nic, count[piece]);
        isNew)
      ++count[piece];
    nics_[{inside, nic}] = {piece, ofNode[nic], nic, id};
  }
}

const TopologyServers::Nic *TopologyServers::nic(uint32_t inside,
                                                 uint32_t nicNode) const {
  const auto found = nics_.find({inside, nicNode});
  return found == nics_.end() ? nullptr : &found->second;
}

//===-- A job -------------------------------------------------------------===//

TopologyServers &Servers::known(const sched::Topology &topology) {
  return topologies_.try_emplace(&topology, topology).first->second;
}

/// Returns the server of each rank of the job; servers are numbered by their
/// first ranks.
std::vector<uint16_t> Servers::serversOf(const ResolvedProgram &resolved,
                                         int numRanks) {
  const sched::Program &program = *resolved.program;
  const TopologyServers &topology = known(*resolved.file->topology());
  std::vector<uint32_t> pieces(static_cast<size_t>(numRanks), 0);
  const uint32_t inJob = program.allocation()->size();
  for (uint32_t r = 0; topology.any() && r < uint32_t(numRanks); ++r)
    pieces[resolved.jobRank(r)] = topology.pieceOf(
        topology.gpuNode(r < inJob ? program.allocation()->Get(r)
                                   : program.relays()->Get(r - inJob)));
  return numbered(pieces);
}

Status Servers::find(std::vector<ResolvedProgram> &programs, int numRanks,
                     const std::vector<uint64_t> &hosts) {
  const std::vector<uint16_t> asked = numbered(hosts);
  std::set<std::string> others; // placements of removed programs
  std::vector<ResolvedProgram> kept;
  bool agree = true;
  for (ResolvedProgram &resolved : programs) {
    const std::vector<uint16_t> servers = serversOf(resolved, numRanks);
    if (!hosts.empty() && servers != asked) {
      others.insert(placementText(servers));
      continue;
    }
    kept.push_back(std::move(resolved));
    if (ofRanks_.empty()) {
      ofRanks_ = servers;
      numServers_ = 1 + *std::max_element(servers.begin(), servers.end());
    }
    agree &= ofRanks_ == servers;
  }
  programs = std::move(kept);
  noteAll(programs);
  if (!agree)
    return {blinkInvalidUsage,
            "the files do not agree which ranks share a server: compile all "
            "of them for one topology and allocation"};
  if (!programs.empty())
    return {};
  std::string known;
  for (const std::string &other : others)
    known += (known.empty() ? "" : ", ") + other;
  return {blinkInvalidUsage,
          "no schedule is for where the ranks run, on servers ",
          placementText(asked),
          ": there are some for ",
          known,
          "; compile one for the cluster with the ranks' GPUs in their order, "
          "or start the ranks where a schedule has them"};
}

/// Notes the NICs of all servers, so that all processes number them in the same
/// way, whichever channels they know.
void Servers::noteAll(const std::vector<ResolvedProgram> &programs) {
  for (const ResolvedProgram &resolved : programs) {
    const TopologyServers &topology = known(*resolved.file->topology());
    std::map<uint32_t, uint16_t> serverOf; // by piece
    const auto &allocation = *resolved.program->allocation();
    for (uint32_t r = 0; r < allocation.size(); ++r)
      serverOf[topology.pieceOf(topology.gpuNode(allocation.Get(r)))] =
          ofRanks_[resolved.jobRank(r)];
    for (const auto &[ends, nic] : topology.nics())
      if (const auto server = serverOf.find(nic.piece);
          server != serverOf.end())
        note(topology, &nic, server->second);
  }
}

uint16_t Servers::note(const TopologyServers &topology,
                       const TopologyServers::Nic *nic, uint16_t server) {
  if (!nic)
    return kNoNic;
  const auto [place, isNew] =
      places_.try_emplace({server, nic->number}, uint16_t(nics_.size()));
  if (isNew) {
    const auto *device = topology.topology().nodes()->Get(nic->node)->device();
    nics_.push_back({server, nic->number, nic->name,
                     device ? device->str() : std::string()});
  }
  return place->second;
}

NicPair Servers::nicsOf(const ResolvedProgram &program,
                        const sched::Variant &variant,
                        const sched::Channel &channel) {
  if (channel.kind() != sched::ChannelKind::network ||
      channel.path_count() == 0)
    return {};
  const TopologyServers &topology = known(*program.file->topology());
  const auto link = [&](uint32_t i) {
    return program.file->topology()->links()->Get(
        variant.paths()->Get(channel.path_begin() + i));
  };
  const TopologyServers::Nic *first = nullptr, *last = nullptr;
  for (uint32_t i = 0; i < channel.path_count() && !first; ++i)
    first = topology.nic(link(i)->from(), link(i)->to());
  for (uint32_t i = channel.path_count(); i-- > 0 && !last;)
    last = topology.nic(link(i)->to(), link(i)->from());
  return {
      note(topology, first, ofRanks_[program.jobRank(channel.source())]),
      note(topology, last, ofRanks_[program.jobRank(channel.destination())])};
}

} // namespace blink::runtime
