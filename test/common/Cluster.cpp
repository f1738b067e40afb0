//===- Cluster.cpp - schedules for several servers, for tests -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/common/Cluster.h"

#include <algorithm>
#include <map>

namespace blink::test {
namespace {

class Cluster {
public:
  Cluster(TestSchedule &schedule, const std::vector<int> &serverOf, int rails)
      : schedule_(schedule), serverOf_(serverOf), rails_(rails) {}

  void addNics() {
    const int servers =
        1 + *std::max_element(serverOf_.begin(), serverOf_.end());
    std::map<uint32_t, int> serverOfNode;
    for (uint32_t node = 0; node < schedule_.nodes.size(); ++node)
      if (schedule_.nodes[node] == sched::NodeKind::gpu) {
        serverOfNode[node] = serverOf_[gpus_.size()];
        gpus_.push_back(node);
      }
    firstNic_ = uint32_t(schedule_.nodes.size());
    schedule_.nodes.resize(firstNic_ + size_t(servers) * size_t(rails_),
                           sched::NodeKind::nic);
    std::vector<TestLink> links;
    for (const TestLink &link : schedule_.links)
      if (serverOfNode[link.from] == serverOfNode[link.to])
        links.push_back(link);
    schedule_.links = links;
  }

  /// Returns the number of a link; adds the link if there is none yet.
  uint32_t link(uint32_t from, uint32_t to, sched::LinkKind kind) {
    auto &links = schedule_.links;
    const auto found =
        std::find_if(links.begin(), links.end(), [&](const TestLink &link) {
          return link.from == from && link.to == to;
        });
    if (found == links.end()) {
      links.push_back({1, 1, from, to, kind});
      return uint32_t(links.size() - 1);
    }
    return uint32_t(found - links.begin());
  }

  /// Rebuilds the paths of a variant's channels; `gpus` are the GPUs of the
  /// program's ranks.
  void route(TestVariant &variant, const std::vector<uint16_t> &gpus) {
    variant.paths.clear();
    uint32_t next = 0;
    for (TestChannel &channel : variant.channels) {
      channel.pathBegin = uint32_t(variant.paths.size());
      const uint16_t source = gpus[channel.source];
      const uint16_t destination = gpus[channel.destination];
      const int from = serverOf_[source];
      const int to = serverOf_[destination];
      if (from == to) {
        variant.paths.push_back(
            link(gpus_[source], gpus_[destination], sched::LinkKind::nvlink));
      } else {
        const uint32_t rail = next++ % uint32_t(rails_);
        const uint32_t nics[2] = {nic(from, rail), nic(to, rail)};
        channel.kind = sched::ChannelKind::network;
        const uint32_t hops[] = {gpus_[source], nics[0], nics[1],
                                 gpus_[destination]};
        for (int i = 0; i < 3; ++i)
          variant.paths.push_back(
              link(hops[i], hops[i + 1], sched::LinkKind::network));
      }
      channel.pathCount = uint16_t(variant.paths.size() - channel.pathBegin);
    }
  }

private:
  uint32_t nic(int server, uint32_t rail) const {
    return firstNic_ + uint32_t(server * rails_) + rail;
  }

  TestSchedule &schedule_;
  const std::vector<int> &serverOf_;
  const int rails_;
  std::vector<uint32_t> gpus_; ///< their nodes
  uint32_t firstNic_ = 0;
};

} // namespace

void spread(TestSchedule &schedule, const std::vector<int> &serverOf,
            int rails) {
  Cluster cluster(schedule, serverOf, rails);
  cluster.addNics();
  for (TestProgram &program : schedule.programs)
    for (TestVariant &variant : program.variants)
      cluster.route(variant, program.allocation);
  schedule.linkKinds |= 1u << unsigned(sched::LinkKind::network);
  for (TestProgram &program : schedule.programs)
    program.prices.assign(schedule.links.size(), 1);
}

} // namespace blink::test
