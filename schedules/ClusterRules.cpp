//===- ClusterRules.cpp - the rules of bundle.fbs for clusters ------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "schedules/ClusterRules.h"

#include "schedules/Placement.h"
#include "schedules/Text.h"
#include "schedules/TopologyRules.h"

#include <algorithm>
#include <vector>

namespace blink::sched {
namespace {

using NumberList = flatbuffers::Vector<uint16_t>;

class ClusterWalk {
public:
  ClusterWalk(const Bundle &index, ReadBudget &budget)
      : index_(index), cluster_(*index.cluster()), budget_(budget) {}

  std::string run() {
    checkTopology() && checkKinds() && checkBoxes() && checkGroups() &&
        checkTurns();
    return std::move(error_);
  }

private:
  template <typename... Parts> bool fail(const Parts &...what) {
    error_ = textOf("cluster.", what...);
    return false;
  }
  template <typename T>
  bool pay(const char *name, const flatbuffers::Vector<T> *list) {
    const char *wrong = budget_.pay(list);
    return !wrong || fail(name, ": ", wrong);
  }
  bool checkTopology();
  bool checkKinds();
  bool checkKind(const std::string &place, const BoxKind &kind);
  bool checkBoxes();
  bool checkGroups();
  bool checkTurns();
  /// Describes turns that are more than a search would try in time.
  static std::string tooMany(size_t turns) {
    return textOf("turns: ", turns, " of them, expected at most ",
                  ClusterSymmetry::kMostTurns - 1);
  }
  /// Returns true if columns are numbered in the order of their first members;
  /// sets `count` to their number.
  static bool numbered(const NumberList &columns, size_t &count);
  /// Returns the permutation of `size` elements that begins at `begin`; empty
  /// if there is none.
  std::vector<uint16_t> permutation(const NumberList &flat, size_t begin,
                                    size_t size);

  const Bundle &index_;
  const Cluster &cluster_;
  ReadBudget &budget_;
  size_t boxNodes_ = 0; // nodes of one box of each kind
  size_t shared_ = 0;
  std::string error_;
};

bool ClusterWalk::checkTopology() {
  const Topology &topology = *cluster_.topology();
  if (std::string wrong = checkTopologyRules(topology, budget_); !wrong.empty())
    return fail(wrong);
  return topology.nodes()->size() == index_.num_nodes() ||
         fail("topology: ", topology.nodes()->size(), " nodes, expected ",
              index_.num_nodes());
}

bool ClusterWalk::numbered(const NumberList &columns, size_t &count) {
  count = 0;
  for (uint16_t column : columns) {
    if (column > count)
      return false;
    count += column == count;
  }
  return true;
}

std::vector<uint16_t> ClusterWalk::permutation(const NumberList &flat,
                                               size_t begin, size_t size) {
  std::vector<uint16_t> list;
  std::vector<bool> met(size);
  for (size_t i = 0; i < size; ++i) {
    list.push_back(flat.Get(uint32_t(begin + i)));
    if (list.back() >= size || met[list.back()])
      return {};
    met[list.back()] = true;
  }
  return list;
}

bool ClusterWalk::checkKind(const std::string &place, const BoxKind &kind) {
  size_t columns = 0;
  if (kind.gpus() == 0 || kind.gpus() > ClusterSymmetry::kMostBoxGpus ||
      kind.nodes() < kind.gpus())
    return fail(place, "expected 1 to ", ClusterSymmetry::kMostBoxGpus,
                " GPUs, among its nodes");
  if (!pay("kinds.columns", kind.columns()) ||
      !pay("kinds.swaps", kind.swaps()) || !pay("kinds.turns", kind.turns()))
    return false;
  if (kind.columns()->size() != kind.gpus() ||
      !numbered(*kind.columns(), columns))
    return fail(place, "columns: expected one a GPU, in order");
  const size_t nodes = kind.nodes();
  if (kind.swaps()->size() != (kind.gpus() - columns) * nodes)
    return fail(place, "swaps: expected one for each GPU but a column's first");
  std::vector<int> before(columns, -1);
  size_t at = 0;
  for (uint16_t gpu = 0; gpu < kind.gpus(); ++gpu) {
    int &last = before[kind.columns()->Get(gpu)];
    if (last >= 0) {
      const auto swap = permutation(*kind.swaps(), at, nodes);
      at += nodes;
      if (swap.empty())
        return fail(place, "swaps: no permutation");
      for (uint16_t other = 0; other < kind.gpus(); ++other)
        if (swap[other] != (other == gpu ? last : other == last ? gpu : other))
          return fail(place, "swaps: expected GPU ", gpu, " and ", last,
                      " to change places alone");
    }
    last = gpu;
  }
  if (kind.turns()->size() % nodes != 0)
    return fail(place, "turns: expected permutations of its nodes");
  if (kind.turns()->size() / nodes >= ClusterSymmetry::kMostTurns)
    return fail(place, tooMany(kind.turns()->size() / nodes));
  for (at = 0; at < kind.turns()->size(); at += nodes) {
    const auto turn = permutation(*kind.turns(), at, nodes);
    if (turn.empty() ||
        *std::max_element(turn.begin(), turn.begin() + kind.gpus()) >=
            kind.gpus())
      return fail(place, "turns: expected permutations of nodes and GPUs");
  }
  boxNodes_ += nodes;
  return true;
}

bool ClusterWalk::checkKinds() {
  if (!pay("kinds", cluster_.kinds()))
    return false;
  for (uint32_t k = 0; k < cluster_.kinds()->size(); ++k)
    if (!checkKind(textOf("kinds[", k, "]: "), *cluster_.kinds()->Get(k)))
      return false;
  return cluster_.kinds()->size() > 0 || fail("kinds: expected one");
}

bool ClusterWalk::checkBoxes() {
  if (!pay("boxes", cluster_.boxes()))
    return false;
  const uint32_t nodes = index_.num_nodes();
  std::vector<bool> isGpu(nodes), met(nodes);
  for (uint16_t node : *index_.gpu_nodes())
    isGpu[node] = true;
  std::vector<bool> occurs(cluster_.kinds()->size());
  size_t gpus = 0, inBoxes = 0;
  for (uint32_t b = 0; b < cluster_.boxes()->size(); ++b) {
    const Box &box = *cluster_.boxes()->Get(b);
    const std::string place = textOf("boxes[", b, "]: ");
    if (!pay("boxes.nodes", box.nodes()))
      return false;
    if (box.kind() >= cluster_.kinds()->size())
      return fail(place, "no such kind");
    const BoxKind &kind = *cluster_.kinds()->Get(box.kind());
    if (box.nodes()->size() != kind.nodes())
      return fail(place, "expected as many nodes as its kind has");
    for (uint32_t i = 0; i < kind.nodes(); ++i) {
      const uint16_t node = box.nodes()->Get(i);
      if (node >= nodes || met[node] || isGpu[node] != (i < kind.gpus()) ||
          (i > 0 && i < kind.gpus() && node <= box.nodes()->Get(i - 1)))
        return fail(place, "expected nodes of its own, GPUs first, ascending");
      met[node] = true;
    }
    occurs[box.kind()] = true;
    gpus += kind.gpus();
    inBoxes += kind.nodes();
  }
  if (gpus != index_.gpu_nodes()->size())
    return fail("boxes: ", gpus, " GPUs, expected ",
                index_.gpu_nodes()->size());
  for (size_t k = 0; k < occurs.size(); ++k)
    if (!occurs[k])
      return fail("kinds[", k, "]: no box is of this kind; expected one");
  shared_ = nodes - inBoxes;
  return true;
}

bool ClusterWalk::checkGroups() {
  const NumberList &groups = *cluster_.groups();
  const size_t size = boxNodes_ + shared_;
  size_t count = 0;
  if (!pay("groups", &groups) || !pay("exchanges", cluster_.exchanges()))
    return false;
  if (!numbered(groups, count))
    return fail("groups: out of order");
  if (cluster_.exchanges()->size() != (groups.size() - count) * size)
    return fail("exchanges: expected one for each column but a group's first");
  for (const BoxKind *kind : *cluster_.kinds()) {
    size_t columns = 0;
    (void)numbered(*kind->columns(), columns);
    if (groups.size() != 0 && groups.size() != columns)
      return fail("groups: expected one a column of every kind");
  }
  std::vector<int> before(count, -1);
  size_t at = 0;
  for (uint16_t column = 0; column < groups.size(); ++column) {
    int &last = before[groups.Get(column)];
    if (last >= 0) {
      const auto exchange = permutation(*cluster_.exchanges(), at, size);
      at += size;
      if (exchange.empty())
        return fail("exchanges: no permutation");
      size_t begin = 0;
      for (const BoxKind *kind : *cluster_.kinds()) {
        for (uint16_t gpu = 0; gpu < kind->gpus(); ++gpu) {
          const size_t image = exchange[begin + gpu];
          const uint16_t own = kind->columns()->Get(gpu);
          const uint16_t wanted = own == column ? uint16_t(last)
                                  : own == last ? column
                                                : own;
          if (image < begin || image >= begin + kind->gpus() ||
              kind->columns()->Get(uint32_t(image - begin)) != wanted)
            return fail("exchanges: expected columns ", column, " and ", last,
                        " to change places alone");
        }
        begin += kind->nodes();
      }
    }
    last = column;
  }
  return true;
}

bool ClusterWalk::checkTurns() {
  const NumberList &turns = *cluster_.turns();
  const size_t size = boxNodes_ + shared_;
  if (!pay("turns", &turns))
    return false;
  if (turns.size() % size != 0)
    return fail("turns: expected permutations of a box of each kind and the "
                "shared nodes");
  if (turns.size() / size >= ClusterSymmetry::kMostTurns)
    return fail(tooMany(turns.size() / size));
  for (size_t at = 0; at < turns.size(); at += size) {
    const auto turn = permutation(turns, at, size);
    if (turn.empty())
      return fail("turns: no permutation");
    size_t begin = 0;
    for (const BoxKind *kind : *cluster_.kinds()) {
      for (size_t gpu = begin; gpu < begin + kind->gpus(); ++gpu)
        if (turn[gpu] < begin || turn[gpu] >= begin + kind->gpus())
          return fail("turns: expected GPUs of a box to stay GPUs of it");
      begin += kind->nodes();
    }
  }
  return true;
}

} // namespace

std::string checkClusterRules(const Bundle &index, ReadBudget &budget) {
  return ClusterWalk(index, budget).run();
}

} // namespace blink::sched
