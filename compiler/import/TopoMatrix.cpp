//===- TopoMatrix.cpp - reading `nvidia-smi topo -m` ----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The matrix has a word for each pair of devices: NV4 (four NVLinks), PIX (one
// PCIe switch between them), PXB (several), PHB and NODE (the CPU), SYS (two
// CPUs; SOC in old drivers). Copies from terminals are accepted with joined
// columns, wrapped headers, colours, prompts and legends.
//
//===----------------------------------------------------------------------===//

#include "compiler/import/Readers.h"
#include "compiler/import/TerminalText.h"

#include "compiler/support/Error.h"
#include "compiler/topology/fabric/RankTopology.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <map>
#include <optional>

using namespace blink;
using Kind = PciDevice::Kind;
using End = PeerLinks::End;

namespace {

/// The contents of a cell, nearest first; `nvlinks` is set for NV#.
struct Cell {
  enum class Way { self, nvlink, pix, pxb, phb, node, sys };
  Way way;
  int nvlinks = 0;
};
using Way = Cell::Way;

struct Row {
  std::string name;
  bool isGpu;
  std::vector<Cell> cells;
  std::string affinity; ///< its NUMA node or CPUs; empty: not stated
  std::string where;
};

class MatrixReader {
public:
  MatrixReader(llvm::StringRef text, llvm::StringRef fileName,
               const ImportOptions &options)
      : lines_(terminalLines(text, fileName)), options_(options) {
    inventory_.where = fileName.str();
    inventory_.source = "nvidia-smi topo -m";
  }
  llvm::Expected<Inventory> read() {
    for (auto step : {&MatrixReader::readHeader, &MatrixReader::readRows,
                      &MatrixReader::checkSymmetry})
      if (llvm::Error error = (this->*step)())
        return error;
    readLegend();
    addGpusAndLinks();
    addPciTree();
    return std::move(inventory_);
  }

private:
  llvm::Error readHeader();
  llvm::Error readRows();
  llvm::Expected<Row> readRow(const TextLine &line);
  llvm::Error checkSymmetry();
  void readLegend();
  void addGpusAndLinks();
  void addPciTree();
  std::vector<int> joinedBy(Way farthest, bool byAffinity) const;

  std::vector<TextLine> lines_;
  const ImportOptions &options_;
  Inventory inventory_;
  size_t header_ = 0;
  std::vector<std::string> columns_;
  bool numaColumn_ = false, ownNumaColumn_ = false;
  std::vector<Row> rows_; ///< in the order of the columns
  std::map<std::string, std::string> nicNames_;
};

} // namespace

/// Takes a cell off the front of `text`; cells may follow each other without a
/// gap.
static std::optional<Cell> takeCell(llvm::StringRef &text) {
  text = text.ltrim();
  if (text.consume_front("NV")) {
    llvm::StringRef digits = text.take_while(llvm::isDigit);
    int count = 0;
    if (digits.size() > 3 || digits.getAsInteger(10, count) || count < 1)
      return std::nullopt;
    text = text.drop_front(digits.size());
    return Cell{Way::nvlink, count};
  }
  static constexpr std::pair<llvm::StringLiteral, Way> kWords[] = {
      {"X", Way::self},  {"PIX", Way::pix},   {"PXB", Way::pxb},
      {"PHB", Way::phb}, {"NODE", Way::node}, {"SYS", Way::sys},
      {"SOC", Way::sys}};
  for (auto [word, way] : kWords)
    if (text.consume_front(word))
      return Cell{way};
  return std::nullopt;
}

/// Finds the line with the names of the columns: "GPU0 GPU1 mlx5_0 CPU
/// Affinity".
llvm::Error MatrixReader::readHeader() {
  for (; header_ < lines_.size(); ++header_) {
    std::vector<llvm::StringRef> words = wordsOf(lines_[header_].text);
    if (words.empty() || numberAfter("GPU", words[0].split("GPU1").first) != 0)
      continue;
    // A row of the matrix, unlike the header, has a cell after its name.
    if (words.size() > 1) {
      llvm::StringRef second = words[1];
      if (takeCell(second) && second.empty())
        continue;
    }
    for (llvm::StringRef word : words) {
      if (word == "CPU" || word == "NUMA" || word == "GPU")
        break;
      if (word.starts_with("GPU")) { // perhaps joined: "GPU0GPU1"
        llvm::SmallVector<llvm::StringRef, 8> joined;
        word.split(joined, "GPU", -1, false);
        for (llvm::StringRef number : joined)
          columns_.push_back(("GPU" + number).str());
      } else {
        columns_.push_back(word.str());
      }
    }
    llvm::StringRef line = lines_[header_].text;
    numaColumn_ = line.contains("NUMA Affinity");
    ownNumaColumn_ = line.contains("GPU NUMA ID");
    if (columns_.size() > 2 * RankTopology::kMostPaired)
      return errorAt(lines_[header_],
                     llvm::Twine(columns_.size()) + " columns are too many");
    return llvm::Error::success();
  }
  return makeError(inventory_.where +
                   ": error: no header with GPU0, GPU1, ... as `nvidia-smi "
                   "topo -m` prints it");
}

llvm::Expected<Row> MatrixReader::readRow(const TextLine &line) {
  llvm::StringRef rest = llvm::StringRef(line.text).ltrim();
  Row row;
  row.where = line.where;
  row.name = rest.take_until([](char c) { return llvm::isSpace(c); }).str();
  row.isGpu = row.name.rfind("GPU", 0) == 0;
  rest = rest.drop_front(row.name.size());
  while (row.cells.size() < columns_.size()) {
    std::optional<Cell> cell = takeCell(rest);
    if (!cell)
      return errorAt(line, "row " + llvm::Twine(row.name) + ": expected " +
                               llvm::Twine(columns_.size()) +
                               " cells like SYS or NV4, got " +
                               llvm::Twine(row.cells.size()) + " and then '" +
                               rest.ltrim().take_front(20) +
                               "'; is the matrix whole?");
    row.cells.push_back(*cell);
  }
  // "0-19,40-59  0  N/A": CPUs, NUMA node, the GPU's own NUMA node, which is a
  // number where CPUs address its memory ("0-71  0  2" on a GB200). Wrapping
  // may have torn the CPUs apart.
  constexpr llvm::StringRef kNone = "N/A";
  std::vector<llvm::StringRef> tail = wordsOf(rest);
  if (!tail.empty() &&
      (tail.back() == kNone || (ownNumaColumn_ && tail.size() > 2)))
    tail.pop_back();
  if (numaColumn_ && tail.size() > 1 && tail.back() != kNone)
    row.affinity = tail.back().str();
  else if (!tail.empty() && tail.front() != kNone)
    row.affinity = tail.front().str();
  return row;
}

llvm::Error MatrixReader::readRows() {
  std::map<std::string, Row> rows;
  for (size_t at = header_ + 1; at < lines_.size(); ++at) {
    std::vector<llvm::StringRef> words = wordsOf(lines_[at].text);
    if (words.empty() || !llvm::is_contained(columns_, words[0]) ||
        rows.count(words[0].str()))
      continue;
    llvm::Expected<Row> row = readRow(lines_[at]);
    if (!row)
      return row.takeError();
    rows[row->name] = *row;
  }
  for (const std::string &name : columns_) {
    auto found = rows.find(name);
    if (found == rows.end())
      return errorAt(lines_[header_], "column " + llvm::Twine(name) +
                                          " has no row; is the matrix whole?");
    rows_.push_back(found->second);
  }
  return llvm::Error::success();
}

llvm::Error MatrixReader::checkSymmetry() {
  for (size_t a = 0; a < rows_.size(); ++a) {
    if (rows_[a].cells[a].way != Way::self)
      return makeError("{0}: error: row {1}: expected X in its own column",
                       rows_[a].where, rows_[a].name);
    for (size_t b = 0; b < a; ++b) {
      Cell &one = rows_[a].cells[b], &other = rows_[b].cells[a];
      if (one.way == Way::self || other.way == Way::self)
        return makeError("{0}: error: row {1}: X in the column of {2}",
                         rows_[a].where, rows_[a].name, rows_[b].name);
      if (one.way == other.way && one.nvlinks == other.nvlinks)
        continue;
      inventory_.notes.warn(rows_[a].where,
                            rows_[a].name + " and " + rows_[b].name +
                                " tell each other differently; what is less is "
                                "taken");
      if (one.way > other.way ||
          (one.way == other.way && one.nvlinks < other.nvlinks))
        other = one;
      else
        one = other;
    }
  }
  return llvm::Error::success();
}

/// "NIC0: mlx5_0"
void MatrixReader::readLegend() {
  for (size_t at = header_ + 1; at < lines_.size(); ++at) {
    std::vector<llvm::StringRef> words = wordsOf(lines_[at].text);
    if (words.size() == 2 && words[0].starts_with("NIC") &&
        words[0].ends_with(":"))
      nicNames_[words[0].drop_back().str()] = words[1].str();
  }
}

/// Adds GPUs and NVLinks. The matrix does not say whether NVLinks lead to a
/// switch or directly to other GPUs. If every GPU has links to all others, and
/// they add up to more than a GPU can have, they must be the same links counted
/// several times: the links to a switch.
void MatrixReader::addGpusAndLinks() {
  std::vector<int> gpus;
  for (size_t i = 0; i < rows_.size(); ++i)
    if (rows_[i].isGpu)
      gpus.push_back(static_cast<int>(i));

  std::vector<int> sums(gpus.size()), most(gpus.size());
  bool allJoined = gpus.size() > 2;
  for (size_t a = 0; a < gpus.size(); ++a)
    for (size_t b = 0; b < gpus.size(); ++b) {
      int count = rows_[gpus[a]].cells[gpus[b]].nvlinks;
      sums[a] += count;
      most[a] = std::max(most[a], count);
      allJoined &= a == b || count > 0;
    }
  int largestSum = *std::max_element(sums.begin(), sums.end());
  const GpuModel *model = options_.gpuModel;
  // No GPU has more than 18.
  bool onSwitch = allJoined && largestSum > (model ? model->maxLinks : 18);
  const int toOne = *std::max_element(most.begin(), most.end());
  const int ofOne = onSwitch ? toOne : largestSum;
  if (!model && ofOne > 0) {
    model = gpuModelOfLinkCount(ofOne, toOne);
    if (model)
      inventory_.notes.guess(inventory_.where,
                             "GPUs taken as " + model->name + ", which have " +
                                 llvm::Twine(ofOne) +
                                 " NVLinks; --gpu-model says better");
  }
  for (size_t a = 0; a < gpus.size(); ++a) {
    const Row &row = rows_[gpus[a]];
    inventory_.gpus.push_back({-1, model, row.where});
    if (onSwitch) {
      PeerLinks links{static_cast<int>(a), End::fabric};
      links.count = most[a];
      links.where = row.where;
      inventory_.links.push_back(links);
    }
    for (size_t b = 0; b < gpus.size() && !onSwitch; ++b)
      if (int count = row.cells[gpus[b]].nvlinks) {
        PeerLinks links{static_cast<int>(a), End::gpu, static_cast<int>(b)};
        links.count = count;
        links.where = row.where;
        inventory_.links.push_back(links);
      }
  }
  if (onSwitch)
    inventory_.notes.guess(inventory_.where,
                           "NVLinks from each GPU to all others are those to "
                           "an NVSwitch");
  else if (allJoined)
    inventory_.notes.guess(inventory_.where,
                           "NVLinks join the GPUs directly, without a switch");
}

/// Returns the class of each row, numbered from 0 in the order of rows. Rows
/// are in one class if they are no farther apart than `farthest`, or, with
/// `byAffinity`, if their affinities are equal.
std::vector<int> MatrixReader::joinedBy(Way farthest, bool byAffinity) const {
  llvm::EquivalenceClasses<int> classes;
  for (size_t a = 0; a < rows_.size(); ++a) {
    classes.insert(static_cast<int>(a));
    for (size_t b = 0; b < a; ++b) {
      Way way = rows_[a].cells[b].way;
      bool near = way != Way::nvlink && way <= farthest;
      bool same = byAffinity && !rows_[a].affinity.empty() &&
                  rows_[a].affinity == rows_[b].affinity;
      if (near || same)
        classes.unionSets(static_cast<int>(a), static_cast<int>(b));
    }
  }
  std::vector<int> numbers(rows_.size());
  std::map<int, int> ofLeader;
  for (size_t a = 0; a < rows_.size(); ++a)
    numbers[a] = ofLeader
                     .try_emplace(classes.getLeaderValue(static_cast<int>(a)),
                                  static_cast<int>(ofLeader.size()))
                     .first->second;
  return numbers;
}

void MatrixReader::addPciTree() {
  std::vector<int> cpu = joinedBy(Way::node, true);
  std::vector<int> tree = joinedBy(Way::pxb, false);
  std::vector<int> leaf = joinedBy(Way::pix, false);
  auto sizes = [&](const std::vector<int> &classes) {
    std::vector<int> count(classes.size());
    for (int which : classes)
      ++count[which];
    return count;
  };
  std::vector<int> ofTree = sizes(tree), ofLeaf = sizes(leaf);
  int numCpus = *std::max_element(cpu.begin(), cpu.end()) + 1;
  for (int id = 0; id < numCpus; ++id)
    inventory_.numaNodes.push_back({id, {}});

  auto addBridge = [&](const Row &row, int parent, int numa) {
    PciDevice bridge;
    bridge.parent = parent;
    bridge.numaNode = numa;
    bridge.where = row.where;
    inventory_.devices.push_back(bridge);
    return static_cast<int>(inventory_.devices.size()) - 1;
  };
  std::map<int, int> treeBridges, leafBridges;
  for (size_t i = 0, gpu = 0; i < rows_.size(); ++i) {
    int above = -1;
    if (ofTree[tree[i]] > ofLeaf[leaf[i]]) {
      auto [place, isNew] = treeBridges.try_emplace(tree[i], 0);
      if (isNew)
        place->second = addBridge(rows_[i], -1, cpu[i]);
      above = place->second;
    }
    if (ofLeaf[leaf[i]] > 1) {
      auto [place, isNew] = leafBridges.try_emplace(leaf[i], 0);
      if (isNew)
        place->second = addBridge(rows_[i], above, above < 0 ? cpu[i] : -1);
      above = place->second;
    }
    PciDevice device;
    device.kind = rows_[i].isGpu ? Kind::gpu : Kind::nic;
    device.parent = above;
    device.numaNode = above < 0 ? cpu[i] : -1;
    device.where = rows_[i].where;
    if (!rows_[i].isGpu) {
      auto name = nicNames_.find(rows_[i].name);
      if (name != nicNames_.end())
        device.name = name->second;
      else if (rows_[i].name.rfind("NIC", 0) != 0)
        device.name = rows_[i].name;
    } else {
      inventory_.gpus[gpu++].device =
          static_cast<int>(inventory_.devices.size());
    }
    inventory_.devices.push_back(device);
  }
  inventory_.notes.guess(inventory_.where,
                         "the matrix has no PCIe speeds, and no place of GPUs "
                         "that NVLinks join: such a GPU has a port of its own, "
                         "unless a NIC is said to be near");
}

llvm::Expected<Inventory> blink::readTopoMatrix(llvm::StringRef text,
                                                llvm::StringRef fileName,
                                                const ImportOptions &options) {
  return MatrixReader(text, fileName, options).read();
}
