//===- SmallMachine.h - machines that bytes choose --------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_FUZZ_SMALLMACHINE_H
#define BLINK_TEST_FUZZ_SMALLMACHINE_H

#include "compiler/topology/Topology.h"
#include "schedules/MachineLimits.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>

namespace blink::test {

/// Reads numbers from the bytes; returns zeros after the end.
class Bytes {
public:
  Bytes(const uint8_t *data, size_t size) : at_(data), end_(data + size) {}
  bool left() const { return at_ < end_; }
  unsigned next() { return left() ? *at_++ : 0; }
  unsigned below(unsigned limit) { return next() % limit; }
  /// Returns a number from `least` to `most`, on a logarithmic scale.
  double number(double least, double most) {
    const double part = (next() * 256 + next()) / 65535.0;
    return std::clamp(least * std::pow(most / least, part), least, most);
  }

private:
  const uint8_t *at_, *end_;
};

/// Returns two to five GPUs and up to two other nodes, with links whose numbers
/// are anywhere in the range that readers accept.
inline Topology smallMachine(Bytes &bytes) {
  Topology topology;
  topology.name = "fuzz";
  const unsigned gpus = 2 + bytes.below(4), others = bytes.below(3);
  for (unsigned i = 0; i < gpus + others; ++i)
    topology.nodes.push_back({"n" + std::to_string(i),
                              i < gpus ? NodeKind::gpu : NodeKind::switch_});
  const NodeKind kinds[] = {NodeKind::switch_, NodeKind::cpu, NodeKind::nic};
  for (unsigned i = gpus; i < gpus + others; ++i)
    topology.nodes[i].kind = kinds[bytes.below(3)];
  std::map<std::tuple<int, int, LinkKind>, Link> links;
  for (unsigned i = 1 + bytes.below(16); i > 0; --i) {
    const int a = int(bytes.below(gpus + others));
    const int b = int(bytes.below(gpus + others));
    const auto kind = LinkKind(bytes.below(unsigned(LinkKind::MAX) + 1));
    const double bandwidth =
        bytes.number(sched::kLeastBandwidth, sched::kMostBandwidth);
    const double latency = bytes.next() % 2 ? bytes.number(1e-3, 1e6) : 0;
    if (a == b)
      continue;
    links.emplace(std::tuple(a, b, kind), Link{a, b, bandwidth, latency, kind});
    if (bytes.next() % 4)
      links.emplace(std::tuple(b, a, kind),
                    Link{b, a, bandwidth, latency, kind});
  }
  for (const auto &[ends, link] : links)
    topology.links.push_back(link);
  return topology;
}

} // namespace blink::test

#endif // BLINK_TEST_FUZZ_SMALLMACHINE_H
