//===- Queues.cpp - what waits in front of links --------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/verify/Queues.h"

#include <algorithm>
#include <vector>

namespace blink::verify {

std::vector<double> queuedBytes(const TopologyView &machine,
                                const sched::Variant &variant) {
  double largest = 0; // share of a block
  for (const sched::Tree *tree : *variant.trees())
    largest =
        std::max(largest, double(tree->numerator()) / tree->denominator());
  std::vector<double> bytes(machine.numLinks(), 0);
  for (const sched::Channel *channel : *variant.channels()) {
    if (channel->kind() != sched::ChannelKind::network)
      continue;
    const sched::Tree &tree = *variant.trees()->Get(channel->tree());
    const double chunk = variant.chunk_bytes() * double(tree.numerator()) /
                         tree.denominator() / largest;
    const uint32_t chunks =
        channel->window() > 0 ? channel->window() : channel->slots();
    for (uint32_t hop = 0; hop < channel->path_count(); ++hop)
      bytes[variant.paths()->Get(channel->path_begin() + hop)] +=
          chunks * chunk;
  }
  return bytes;
}

Queue longestQueue(const TopologyView &machine,
                   const std::vector<double> &bytes) {
  Queue longest;
  for (uint32_t link = 0; link < machine.numLinks(); ++link)
    if (bytes[link] / machine.link(link).bandwidth() >
        longest.bytes / machine.link(longest.link).bandwidth())
      longest = {bytes[link], link};
  return longest;
}

} // namespace blink::verify
