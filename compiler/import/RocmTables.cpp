//===- RocmTables.cpp - reading `rocm-smi --showtopo` ---------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The tables are three matrices (weights, hops, types of link) and a list of
// NUMA nodes. A weight of 15 means one xGMI hop; the number of parallel links
// is not stated.
//
//===----------------------------------------------------------------------===//

#include "compiler/import/Readers.h"
#include "compiler/import/TerminalText.h"

#include "compiler/support/Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace blink;
using End = PeerLinks::End;

namespace {

/// The words of a table, by row and column.
struct Table {
  std::map<int, std::vector<std::string>> rows;
  std::map<int, std::string> where;
};

class RocmReader {
public:
  RocmReader(llvm::StringRef fileName, const ImportOptions &options)
      : options_(options) {
    inventory_.where = fileName.str();
    inventory_.source = "rocm-smi --showtopo";
  }
  llvm::Expected<Inventory> read(llvm::StringRef text);

private:
  void readLine(const TextLine &line);
  llvm::Error checkTable(const Table &table, llvm::StringRef name) const;
  void addLinks();
  void addDevices();

  const ImportOptions &options_;
  Inventory inventory_;
  Table *current_ = nullptr;
  Table weights_, hops_, types_;
  std::map<int, int> numaOfGpu_;
};

} // namespace

void RocmReader::readLine(const TextLine &line) {
  llvm::StringRef text = line.text;
  if (text.starts_with("==")) {
    current_ = text.contains("Weight between")      ? &weights_
               : text.contains("Hops between")      ? &hops_
               : text.contains("Link Type between") ? &types_
                                                    : nullptr;
    return;
  }
  // "GPU[3]  : (Topology) Numa Node: 1"
  llvm::StringRef rest = text.ltrim();
  int gpu = 0, node = 0;
  if (rest.consume_front("GPU[") && !rest.consumeInteger(10, gpu) &&
      rest.consume_front("]")) {
    auto [before, number] = rest.split("Numa Node:");
    if (!number.trim().getAsInteger(10, node) && node >= 0 && node < 1024)
      numaOfGpu_[gpu] = node;
    return;
  }
  std::vector<llvm::StringRef> words = wordsOf(text);
  if (!current_ || words.size() < 2)
    return;
  std::optional<int> row = numberAfter("GPU", words[0]);
  if (!row || numberAfter("GPU", words[1]))
    return; // the header line
  std::vector<std::string> cells;
  for (llvm::StringRef word : llvm::ArrayRef(words).drop_front())
    cells.push_back(word.str());
  current_->rows[*row] = cells;
  current_->where[*row] = line.where;
}

llvm::Error RocmReader::checkTable(const Table &table,
                                   llvm::StringRef name) const {
  int next = 0;
  for (const auto &[row, cells] : table.rows) {
    const std::string &where = table.where.at(row);
    if (row != next++)
      return makeError("{0}: error: {1}: GPU{2} where GPU{3} was expected",
                       where, name, row, next - 1);
    if (cells.size() != table.rows.size())
      return makeError("{0}: error: {1}: {2} cells in a table of {3} GPUs; is "
                       "it whole?",
                       where, name, cells.size(), table.rows.size());
  }
  return llvm::Error::success();
}

/// Adds a direct xGMI link between each two GPUs that are one hop apart.
void RocmReader::addLinks() {
  int count = static_cast<int>(types_.rows.size());
  for (int a = 0; a < count; ++a)
    for (int b = 0; b < count; ++b) {
      const std::string &type = types_.rows[a][b];
      bool oneHop = hops_.rows.empty() || hops_.rows[a][b] == "1";
      if (a == b || type != "XGMI" || !oneHop)
        continue;
      PeerLinks links{a, End::gpu, b};
      links.kind = LinkKind::xgmi;
      links.where = types_.where[a];
      inventory_.links.push_back(links);
    }
  if (!inventory_.links.empty())
    inventory_.notes.guess(inventory_.where,
                           "one xGMI link joins two GPUs a hop apart; the "
                           "report has no numbers of links");
}

void RocmReader::addDevices() {
  std::map<int, int> indexOf; // by number of the NUMA node
  for (size_t gpu = 0; gpu < types_.rows.size(); ++gpu) {
    auto told = numaOfGpu_.find(static_cast<int>(gpu));
    int id = told == numaOfGpu_.end() ? 0 : told->second;
    auto [place, isNew] = indexOf.try_emplace(id, inventory_.numaNodes.size());
    if (isNew) {
      NumaNode node{id, {}};
      node.cpu.vendor = CpuModel::Vendor::amd;
      inventory_.numaNodes.push_back(node);
    }
    PciDevice device;
    device.kind = PciDevice::Kind::gpu;
    device.numaNode = place->second;
    device.where = types_.where[static_cast<int>(gpu)];
    inventory_.gpus.push_back(
        {static_cast<int>(gpu), options_.gpuModel, device.where});
    inventory_.devices.push_back(device);
  }
}

llvm::Expected<Inventory> RocmReader::read(llvm::StringRef text) {
  for (const TextLine &line : terminalLines(text, inventory_.where))
    readLine(line);
  if (types_.rows.empty())
    return makeError(inventory_.where +
                     ": error: no table 'Link Type between two GPUs'; take the "
                     "whole of `rocm-smi --showtopo`");
  if (llvm::Error error = checkTable(types_, "link types"))
    return error;
  if (llvm::Error error = checkTable(hops_, "hops"))
    return error;
  if (!hops_.rows.empty() && hops_.rows.size() != types_.rows.size())
    return makeError(inventory_.where +
                     ": error: tables of different numbers of GPUs");
  addDevices();
  addLinks();
  return std::move(inventory_);
}

llvm::Expected<Inventory> blink::readRocmTables(llvm::StringRef text,
                                                llvm::StringRef fileName,
                                                const ImportOptions &options) {
  return RocmReader(fileName, options).read(text);
}
