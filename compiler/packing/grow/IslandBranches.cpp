//===- IslandBranches.cpp - trees within one island -----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/grow/IslandBranches.h"

#include "compiler/packing/grow/RootedTree.h"

#include <algorithm>
#include <tuple>

using namespace blink;

IslandBranches::IslandBranches(const PackingProblem &problem,
                               const Islands &islands, int island,
                               const IslandBorders &borders,
                               const PathTable &table, std::vector<int> room,
                               const GrowRequest &request)
    : borders_(borders), table_(table), copies_(request.copies),
      mostChildren_(request.mostChildren), up_(hasUpTrees(problem.collective)),
      island_(island), isHome_(borders.islandOf(problem.root) == island),
      within_(problem, std::move(room), request.copies,
              withinIsland(islands, island, 0)),
      firstExits_(request.copies) {
  for (int rank = 0; rank < problem.rankTopology->numRanks(); ++rank)
    if (borders.islandOf(rank) == island)
      ranks_.push_back(rank);
    else if (outside_ < 0)
      outside_ = rank;
  std::vector<Place> places(ranks_.size());
  for (size_t at = 0; at < ranks_.size(); ++at)
    if (ranks_[at] == problem.root)
      places[at].depth = 0;
  places_.assign(request.copies, places);
  entered_.assign(ranks_.size(), 0);
  // One more column for edges from outside, one more row for edges to it.
  const size_t width = ranks_.size() + 1;
  refused_.assign(request.copies, std::vector<bool>(width * width, false));
  missing_ = size_t(request.copies) * ranks_.size(); // home: outside, not root
}

int IslandBranches::roomOf(const Path &path) const {
  return leastRoom(path, [&](int link) { return within_.room(link); });
}

/// Trees begin with different ranks, and so does a tree in different islands:
/// where networks join the ranks of one place, a tree has to reach all places.
uint32_t IslandBranches::turnOf(int tree, size_t at) const {
  const size_t count = ranks_.size();
  return uint32_t((at + count - size_t(tree + island_) % count) % count);
}

/// Lets the tree leave the island of the root, from a rank near the root.
bool IslandBranches::leave(int tree) {
  std::vector<std::tuple<int, int, size_t, int>> ways;
  for (size_t at = 0; at < ranks_.size(); ++at) {
    const Place &from = places_[tree][at];
    const std::vector<Crossing> &exits = borders_.exits(ranks_[at]);
    for (int exit = 0; from.depth >= 0 && exit < int(exits.size()); ++exit)
      if (const int room = roomOf(exits[exit].links); room > 0)
        ways.emplace_back(from.depth, -room, at, exit);
  }
  std::sort(ways.begin(), ways.end());
  for (auto [depth, room, at, exit] : ways)
    if (within_.take(tree, outside_, borders_.exits(ranks_[at])[exit].links)) {
      firstExits_[tree] = {at, exit};
      ++places_[tree][at].children;
      return true;
    }
  return false;
}

/// Attaches a rank below another one of the island, as near to an entry as
/// possible.
bool IslandBranches::hang(int tree) {
  std::vector<Place> &places = places_[tree];
  std::vector<std::tuple<int, uint32_t, int, size_t, size_t>> edges;
  for (size_t parent = 0; parent < ranks_.size(); ++parent) {
    if (places[parent].depth < 0 || places[parent].children >= mostChildren_)
      continue;
    for (size_t child = 0; child < ranks_.size(); ++child) {
      if (places[child].depth >= 0 ||
          refused_[tree][parent * (ranks_.size() + 1) + child])
        continue;
      const Path &path = pathOf(table_, up_, ranks_[parent], ranks_[child]);
      if (const int room = path.empty() ? 0 : roomOf(path); room > 0)
        edges.emplace_back(places[parent].depth, turnOf(tree, child), -room,
                           parent, child);
    }
  }
  std::sort(edges.begin(), edges.end());
  for (auto [depth, turn, room, parent, child] : edges) {
    const Path &path = pathOf(table_, up_, ranks_[parent], ranks_[child]);
    if (!within_.take(tree, ranks_[child], path)) {
      // An edge that took too much room once never fits again.
      refused_[tree][parent * (ranks_.size() + 1) + child] = true;
      continue;
    }
    places[child] = {depth + 1, int(parent), path, -1, 0};
    ++places[parent].children;
    return true;
  }
  return false;
}

/// Lets the tree enter once more, where the fewest trees do.
bool IslandBranches::enter(int tree) {
  std::vector<std::tuple<int, uint32_t, size_t, int>> ways;
  for (size_t at = 0; at < ranks_.size(); ++at) {
    const std::vector<Crossing> &entries = borders_.entries(ranks_[at]);
    if (places_[tree][at].depth >= 0 ||
        refused_[tree][ranks_.size() * (ranks_.size() + 1) + at])
      continue;
    for (int entry = 0; entry < int(entries.size()); ++entry)
      if (roomOf(entries[entry].links) > 0)
        ways.emplace_back(entered_[at], turnOf(tree, at), at, entry);
  }
  std::sort(ways.begin(), ways.end());
  for (auto [others, turn, at, entry] : ways) {
    if (within_.take(tree, ranks_[at],
                     borders_.entries(ranks_[at])[entry].links)) {
      places_[tree][at] = {0, -1, {}, entry, 0};
      ++entered_[at];
      return true;
    }
  }
  return false;
}

bool IslandBranches::addEdge(int tree) {
  const bool isOutside = !isHome_ || firstExits_[tree].crossing >= 0;
  return (!isOutside && leave(tree)) || hang(tree) ||
         (isOutside && enter(tree));
}

bool IslandBranches::grow() {
  if (outside_ < 0 || !within_.begin())
    return false;
  for (bool grows = true; missing_ > 0 && grows;) {
    grows = false;
    for (int tree = 0; tree < copies_; ++tree)
      if (addEdge(tree)) {
        grows = true;
        --missing_;
      }
    if (!grows && mostChildren_ < int(ranks_.size())) {
      ++mostChildren_;
      grows = true;
    }
  }
  return missing_ == 0;
}
