//===- Mirroring.cpp - out-trees that mirror in-trees -----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/Mirroring.h"

#include <map>
#include <tuple>

using namespace blink;

std::vector<int> blink::mirrorTwins(const PackingProblem &problem) {
  if (problem.collective != Collective::allreduce)
    return {};
  const Fabric &fabric = *problem.fabric;
  const std::vector<Link> &links = fabric.topology().links;
  std::map<std::tuple<int, int, LinkKind, double>, int> index;
  for (size_t link = 0; link < links.size(); ++link)
    if (fabric.usable(static_cast<int>(link)))
      index[{links[link].from, links[link].to, links[link].kind,
             links[link].bandwidth}] = static_cast<int>(link);
  std::vector<int> twins(links.size(), -1);
  for (const auto &[key, link] : index) {
    auto [from, to, kind, bandwidth] = key;
    auto twin = index.find({to, from, kind, bandwidth});
    if (twin == index.end())
      return {};
    twins[link] = twin->second;
  }
  return twins;
}

void blink::addMirrored(Tree &tree, const std::vector<int> &twins) {
  for (auto edge = tree.up.rbegin(); edge != tree.up.rend(); ++edge) {
    Path path;
    for (auto link = edge->path.rbegin(); link != edge->path.rend(); ++link)
      path.push_back(twins[*link]);
    tree.down.push_back({edge->to, edge->from, std::move(path)});
  }
}
