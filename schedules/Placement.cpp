//===- Placement.cpp - the placement of a job on a cluster ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A placement is a table with a row for each box and a column for each set of
// GPUs of a box that may be exchanged; an element is the number of such GPUs
// that the job has. Boxes of a kind may be listed in any order, and so may the
// columns of a group. The representative is the table with the greatest rows
// first. If order alone cannot tell tables apart, all of them are examined, up
// to a limit.
//
//===----------------------------------------------------------------------===//

#include "schedules/Placement.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace blink::sched {
namespace {

using Numbers = ClusterSymmetry::Numbers;

/// The most tables that a search examines.
constexpr int kMostTables = 200;

Numbers identity(size_t size) {
  Numbers numbers(size);
  std::iota(numbers.begin(), numbers.end(), uint16_t(0));
  return numbers;
}

/// Reads permutations of `size` elements from a flat list, keeping `kept`
/// elements of each from `begin` on.
std::vector<Numbers> permutations(const flatbuffers::Vector<uint16_t> &flat,
                                  size_t size, size_t begin, size_t kept) {
  std::vector<Numbers> list = {identity(kept)};
  for (size_t at = 0; size > 0 && at + size <= flat.size(); at += size) {
    Numbers one;
    for (size_t i = 0; i < kept; ++i)
      one.push_back(
          static_cast<uint16_t>(flat.Get(uint32_t(at + begin + i)) - begin));
    list.push_back(std::move(one));
  }
  return list;
}

/// Spreads a number over 64 bits (the finaliser of SplitMix64).
uint64_t mix(uint64_t value) {
  value += 0x9e3779b97f4a7c15u;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

/// The job's GPUs in one box.
struct Row {
  uint16_t kind = 0, box = 0;
  Numbers at;     ///< places in the box, after turns
  Numbers jobs;   ///< for each of them, its place in the job's list
  Numbers counts; ///< per column, in the table's order of columns

  /// Orders the greatest row first.
  bool operator<(const Row &other) const {
    if (kind != other.kind)
      return kind < other.kind;
    const auto sum = [](const Numbers &n) {
      return std::accumulate(n.begin(), n.end(), 0u);
    };
    const auto mine = sum(counts), its = sum(other.counts);
    return mine != its ? mine > its : counts > other.counts;
  }
};

} // namespace

ClusterSymmetry::ClusterSymmetry(const Bundle &index) {
  const Cluster &cluster = *index.cluster();
  std::map<uint16_t, uint16_t> gpuOf; // by node
  for (uint16_t gpu = 0; gpu < index.gpu_nodes()->size(); ++gpu)
    gpuOf[index.gpu_nodes()->Get(gpu)] = gpu;
  size_t boxNodes = 0, shared = index.num_nodes();
  for (const BoxKind *kind : *cluster.kinds()) {
    boxNodes += kind->nodes();
    kinds.push_back(
        {{kind->columns()->begin(), kind->columns()->end()},
         permutations(*kind->turns(), kind->nodes(), 0, kind->gpus())});
  }
  for (const blink::sched::Box *box : *cluster.boxes()) {
    Box one{box->kind(), {}};
    for (uint32_t i = 0; i < kinds[one.kind].columns.size(); ++i)
      one.gpus.push_back(gpuOf.at(box->nodes()->Get(i)));
    shared -= box->nodes()->size();
    boxes.push_back(std::move(one));
  }
  groups.assign(cluster.groups()->begin(), cluster.groups()->end());
  size_t begin = 0;
  for (size_t k = 0; k < kinds.size(); ++k) {
    auto ofKind = permutations(*cluster.turns(), boxNodes + shared, begin,
                               kinds[k].columns.size());
    turns.resize(ofKind.size());
    for (size_t turn = 0; turn < ofKind.size(); ++turn)
      turns[turn].push_back(std::move(ofKind[turn]));
    begin += cluster.kinds()->Get(uint32_t(k))->nodes();
  }
  this->index();
}

void ClusterSymmetry::index() {
  size_t gpus = 0;
  for (const Box &box : boxes)
    gpus += box.gpus.size();
  places_.resize(gpus);
  ofKind_.resize(kinds.size());
  for (uint16_t b = 0; b < boxes.size(); ++b) {
    ofKind_[boxes[b].kind].push_back(b);
    for (uint16_t at = 0; at < boxes[b].gpus.size(); ++at)
      places_[boxes[b].gpus[at]] = {b, at};
  }
  for (const Kind &kind : kinds) {
    inColumns_.emplace_back();
    for (uint16_t at = 0; at < kind.columns.size(); ++at) {
      if (kind.columns[at] == inColumns_.back().size())
        inColumns_.back().emplace_back();
      inColumns_.back()[kind.columns[at]].push_back(at);
    }
  }
}

/// The search for one placement's table.
class ClusterSymmetry::Search {
public:
  Search(const ClusterSymmetry &cluster, const Numbers &gpus)
      : cluster_(cluster), gpus_(gpus) {}

  Numbers run() {
    for (const std::vector<Numbers> &turn : cluster_.turns)
      startWith(turn);
    return write();
  }

private:
  void startWith(const std::vector<Numbers> &turn);
  void setRow(Row &row, const Numbers &places) const;
  void orderColumns(std::vector<Row> rows, Numbers colors);
  std::vector<uint64_t> colorsOf(const std::vector<Row> &rows,
                                 const Numbers &fixed) const;
  void offer(std::vector<Row> rows, const Numbers &order);
  Numbers write() const;

  const ClusterSymmetry &cluster_;
  const Numbers &gpus_;
  int tables_ = 0;
  std::vector<Row> best_;
  Numbers bestOrder_; // the column at each place
};

/// Sets the GPUs of a row to `places` and computes its counts.
void ClusterSymmetry::Search::setRow(Row &row, const Numbers &places) const {
  const Kind &kind = cluster_.kinds[row.kind];
  row.at = places;
  row.counts.assign(cluster_.inColumns_[row.kind].size(), 0);
  for (uint16_t at : places)
    ++row.counts[kind.columns[at]];
}

/// Starts with the rows under a turn of the cluster, each box turned such that
/// its row is the greatest.
void ClusterSymmetry::Search::startWith(const std::vector<Numbers> &turn) {
  std::vector<Row> rows;
  std::vector<int> rowOf(cluster_.boxes.size(), -1);
  for (size_t job = 0; job < gpus_.size(); ++job) {
    const Place place = cluster_.places_[gpus_[job]];
    int &row = rowOf[place.box];
    if (row < 0) {
      row = int(rows.size());
      rows.emplace_back();
      rows.back().box = place.box;
      rows.back().kind = cluster_.boxes[place.box].kind;
    }
    rows[row].at.push_back(turn[rows[row].kind][place.at]);
    rows[row].jobs.push_back(uint16_t(job));
  }
  for (Row &row : rows) {
    const Numbers turned = row.at;
    Row greatest;
    for (const Numbers &own : cluster_.kinds[row.kind].turns) {
      Numbers places;
      for (uint16_t at : turned)
        places.push_back(own[at]);
      setRow(row, places);
      if (greatest.at.empty() || row < greatest)
        greatest = row;
    }
    row = std::move(greatest);
  }
  std::sort(rows.begin(), rows.end(), [](const Row &a, const Row &b) {
    return a < b || (!(b < a) && a.box < b.box);
  });
  if (cluster_.groups.empty())
    return offer(std::move(rows), {});
  orderColumns(std::move(rows), {});
}

/// Returns colours that tell columns apart independently of the order of rows
/// and columns. `fixed` lists columns that have been distinguished by a choice.
std::vector<uint64_t>
ClusterSymmetry::Search::colorsOf(const std::vector<Row> &rows,
                                  const Numbers &fixed) const {
  constexpr int kRounds = 3;
  const size_t columns = cluster_.groups.size();
  std::vector<uint64_t> ofColumn(columns), ofRow(rows.size());
  for (size_t c = 0; c < columns; ++c)
    ofColumn[c] = mix(cluster_.groups[c]);
  for (size_t f = 0; f < fixed.size(); ++f)
    ofColumn[fixed[f]] = mix(~uint64_t(f));
  for (int round = 0; round < kRounds; ++round) {
    for (size_t r = 0; r < rows.size(); ++r) {
      ofRow[r] = mix(rows[r].kind + 1);
      for (size_t c = 0; c < columns; ++c)
        ofRow[r] += mix(ofColumn[c] ^ mix(rows[r].counts[c]));
      ofRow[r] = mix(ofRow[r]);
    }
    std::vector<uint64_t> next = ofColumn;
    for (size_t c = 0; c < columns; ++c) {
      for (size_t r = 0; r < rows.size(); ++r)
        next[c] += mix(ofRow[r] ^ mix(rows[r].counts[c]));
      next[c] = mix(next[c]);
    }
    ofColumn = std::move(next);
  }
  return ofColumn;
}

/// Chooses the order of columns, one column after the other; equal columns are
/// interchangeable.
void ClusterSymmetry::Search::orderColumns(std::vector<Row> rows,
                                           Numbers fixed) {
  const Numbers &groups = cluster_.groups;
  if (tables_ >= kMostTables)
    return;
  if (fixed.size() == groups.size()) {
    ++tables_;
    return offer(std::move(rows), fixed);
  }
  // The next place belongs to a group and takes a column of it: one of those
  // with the most GPUs, and among these one of the least colour.
  const uint16_t group = groups[fixed.size()];
  const std::vector<uint64_t> colors = colorsOf(rows, fixed);
  const auto sumOf = [&](uint16_t c) {
    unsigned sum = 0;
    for (const Row &row : rows)
      sum += row.counts[c];
    return sum;
  };
  const auto equal = [&](uint16_t a, uint16_t b) {
    return std::all_of(rows.begin(), rows.end(), [&](const Row &row) {
      return row.counts[a] == row.counts[b];
    });
  };
  std::pair<unsigned, uint64_t> most;
  Numbers candidates;
  for (uint16_t c = 0; c < groups.size(); ++c) {
    if (groups[c] != group ||
        std::find(fixed.begin(), fixed.end(), c) != fixed.end())
      continue;
    const std::pair<unsigned, uint64_t> worth{sumOf(c), ~colors[c]};
    if (candidates.empty() || worth > most) {
      most = worth;
      candidates = {c};
    } else if (worth == most &&
               std::none_of(candidates.begin(), candidates.end(),
                            [&](uint16_t other) { return equal(c, other); })) {
      candidates.push_back(c);
    }
  }
  for (uint16_t c : candidates) {
    Numbers more = fixed;
    more.push_back(c);
    orderColumns(rows, std::move(more));
  }
}

/// Keeps the greater of this table and the best so far.
void ClusterSymmetry::Search::offer(std::vector<Row> rows,
                                    const Numbers &order) {
  if (!order.empty()) {
    for (Row &row : rows) {
      Numbers counts;
      for (uint16_t c : order)
        counts.push_back(row.counts[c]);
      row.counts = std::move(counts);
    }
    std::sort(rows.begin(), rows.end(), [](const Row &a, const Row &b) {
      return a < b || (!(b < a) && a.box < b.box);
    });
  }
  if (best_.empty() ||
      std::lexicographical_compare(rows.begin(), rows.end(), best_.begin(),
                                   best_.end())) {
    best_ = std::move(rows);
    bestOrder_ = order;
  }
}

/// Returns the best table as GPUs: the first boxes of each kind, and the first
/// GPUs of each column.
Numbers ClusterSymmetry::Search::write() const {
  Numbers result(gpus_.size());
  std::vector<size_t> used(cluster_.kinds.size(), 0);
  for (const Row &row : best_) {
    const Box &box =
        cluster_.boxes[cluster_.ofKind_[row.kind][used[row.kind]++]];
    const auto &columns = cluster_.inColumns_[row.kind];
    Numbers slot = identity(columns.size());
    for (size_t at = 0; at < bestOrder_.size(); ++at)
      slot[bestOrder_[at]] = uint16_t(at);
    // Take the GPUs of a column in the order of their places.
    std::vector<std::pair<uint16_t, uint16_t>> byPlace;
    for (size_t i = 0; i < row.at.size(); ++i)
      byPlace.emplace_back(row.at[i], row.jobs[i]);
    std::sort(byPlace.begin(), byPlace.end());
    Numbers next(columns.size(), 0);
    for (auto [at, job] : byPlace) {
      const uint16_t column = slot[cluster_.kinds[row.kind].columns[at]];
      result[job] = box.gpus[columns[column][next[column]++]];
    }
  }
  return result;
}

Numbers ClusterSymmetry::representative(const Numbers &gpus) const {
  return Search(*this, gpus).run();
}

namespace {
/// Returns true if a permutation of a box's places maps a set of them onto
/// itself.
bool keeps(const Numbers &turn, const std::vector<bool> &has) {
  for (size_t at = 0; at < turn.size(); ++at)
    if (has[at] != has[turn[at]])
      return false;
  return true;
}
} // namespace

/// Combines up to four symmetries, each of which keeps the placement: it
/// exchanges boxes of which the job has the same places, then columns of which
/// it has the same GPUs in all boxes, then turns a box onto itself, then
/// exchanges GPUs of a column.
ClusterSymmetry::RankTurn ClusterSymmetry::turnTo(const Numbers &gpus,
                                                  uint16_t rank) const {
  std::map<uint16_t, std::vector<bool>> has; // per box: places that the job has
  for (uint16_t gpu : gpus) {
    auto &own = has[boxOf(gpu)];
    own.resize(boxes[boxOf(gpu)].gpus.size());
    own[places_[gpu].at] = true;
  }
  Place at = places_[gpus[rank]];
  const Place asked = at;
  // Undoes the symmetry step by step: `at` is where the rank comes from.
  uint16_t from = at.box;
  for (const auto &[box, own] : has)
    if (boxes[box].kind == boxes[at.box].kind && own == has[at.box]) {
      from = box; // the first such box
      break;
    }
  at.box = from;
  const uint16_t kind = boxes[at.box].kind;
  const auto sameColumns = [&](uint16_t a, uint16_t b) {
    for (const auto &[box, own] : has) {
      const auto &columns = inColumns_[boxes[box].kind];
      for (size_t i = 0; i < columns[a].size(); ++i)
        if (own[columns[a][i]] != own[columns[b][i]])
          return false;
    }
    return true;
  };
  const uint16_t column = kinds[kind].columns[at.at];
  uint16_t first = column;
  for (uint16_t c = 0; c < column && first == column && !groups.empty(); ++c)
    if (groups[c] == groups[column] && sameColumns(c, column))
      first = c;
  const auto &columns = inColumns_[kind];
  const auto placeIn = [&](uint16_t c, uint16_t place) {
    return std::find(columns[c].begin(), columns[c].end(), place) -
           columns[c].begin();
  };
  at.at = columns[first][placeIn(column, at.at)];
  const Numbers *turn = nullptr; // carries the least place onto at.at
  uint16_t least = at.at;
  for (const Numbers &own : kinds[kind].turns) {
    const uint16_t before =
        uint16_t(std::find(own.begin(), own.end(), at.at) - own.begin());
    if (before < least && keeps(own, has[at.box])) {
      least = before;
      turn = &own;
    }
  }
  const uint16_t turnedFrom = least;
  for (uint16_t place : columns[kinds[kind].columns[least]])
    if (has[at.box][place]) {
      least = place; // the first of its column that the job has
      break;
    }

  RankTurn result{rank, {}};
  std::map<uint16_t, uint16_t> rankOf;
  for (uint16_t r = 0; r < gpus.size(); ++r)
    rankOf[gpus[r]] = r;
  for (uint16_t gpu : gpus) {
    // Find the rank that the symmetry carries onto this one.
    Place place = places_[gpu];
    if (place.box == asked.box)
      place.box = from;
    else if (place.box == from)
      place.box = asked.box;
    const uint16_t own = boxes[place.box].kind;
    const uint16_t c = kinds[own].columns[place.at];
    if (first != column && (c == first || c == column)) {
      const auto &list = inColumns_[own];
      const auto index =
          std::find(list[c].begin(), list[c].end(), place.at) - list[c].begin();
      place.at = list[c == first ? column : first][index];
    }
    if (place.box == from) {
      if (turn)
        place.at = uint16_t(std::find(turn->begin(), turn->end(), place.at) -
                            turn->begin());
      if (place.at == turnedFrom)
        place.at = least;
      else if (place.at == least)
        place.at = turnedFrom;
    }
    result.ranks.push_back(rankOf.at(boxes[place.box].gpus[place.at]));
  }
  result.least = result.ranks[rank];
  if (result.ranks == identity(gpus.size()))
    result.ranks.clear();
  return result;
}

Numbers ClusterSymmetry::boxesOf(const Numbers &gpus) const {
  Numbers list;
  for (uint16_t gpu : gpus)
    list.push_back(boxOf(gpu));
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

Numbers ClusterSymmetry::partNumbers(const Numbers &gpus) const {
  Numbers all;
  for (uint16_t box : boxesOf(gpus))
    all.insert(all.end(), boxes[box].gpus.begin(), boxes[box].gpus.end());
  std::sort(all.begin(), all.end());
  Numbers numbers;
  for (uint16_t gpu : gpus)
    numbers.push_back(
        uint16_t(std::lower_bound(all.begin(), all.end(), gpu) - all.begin()));
  return numbers;
}

std::string ClusterSymmetry::shapeOf(const Numbers &gpus) const {
  std::map<uint16_t, size_t> onBox;
  for (uint16_t gpu : gpus)
    ++onBox[boxOf(gpu)];
  std::map<size_t, size_t> times; // how many boxes have so many GPUs
  for (auto [box, count] : onBox)
    ++times[count];
  std::string text;
  for (auto [count, number] : times)
    text += (text.empty() ? "" : "+") +
            (number > 1 || times.size() == 1 ? std::to_string(number) + "x"
                                             : std::string()) +
            std::to_string(count);
  return text;
}

} // namespace blink::sched
