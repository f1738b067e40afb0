//===- MachineFiles.cpp - the machine types of a folder -------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/check/GoldenFile.h"
#include "compiler/check/MachineCheck.h"
#include "compiler/support/Error.h"

#include "compiler/driver/InputFile.h"
#include "compiler/topology/AllocationList.h"
#include "compiler/topology/TopologyReader.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <set>

using namespace blink;

static constexpr llvm::StringLiteral kTopologyEnding = ".topo";
static constexpr llvm::StringLiteral kGoldenEnding = ".golden.json";

/// Returns the names of a folder's files with this ending, without the ending.
static llvm::Expected<std::set<std::string>>
listNames(const std::string &folder, llvm::StringRef ending) {
  std::set<std::string> names;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator at(folder, error), end;
       at != end && !error; at.increment(error)) {
    llvm::StringRef name = llvm::sys::path::filename(at->path());
    if (name.consume_back(ending) && !name.empty())
      names.insert(name.str());
  }
  if (error)
    return makeError(folder + ": cannot read the folder: " + error.message());
  return names;
}

std::string blink::defaultAllocations(int numGpus) {
  constexpr uint64_t kMostSets = 1000;
  int most = 1; // all sets of 2 to `most` GPUs together are few enough
  for (uint64_t sets = 0, ofSize = uint64_t(numGpus); most < numGpus; ++most) {
    ofSize = ofSize * uint64_t(numGpus - most) / uint64_t(most + 1);
    sets += ofSize;
    if (sets > kMostSets)
      break;
  }
  if (most >= numGpus)
    return "all";
  std::string whole = std::to_string(numGpus) + "-" + std::to_string(numGpus);
  return most == 1 ? whole : "2-" + std::to_string(most) + "/" + whole;
}

/// Reads the golden summary into `files`.
static llvm::Error readGoldenOf(MachineFiles &files,
                                const CheckFolders &folders) {
  auto buffer = llvm::MemoryBuffer::getFile(files.goldenPath);
  if (!buffer)
    return makeError(files.goldenPath +
                     ": cannot read: " + buffer.getError().message());
  files.goldenText = (*buffer)->getBuffer().str();
  llvm::Expected<Golden> golden =
      readGolden(files.goldenText, files.goldenPath);
  if (golden) {
    files.allocations = golden->allocations;
    files.golden = std::move(*golden);
    return llvm::Error::success();
  }
  if (!folders.update)
    return golden.takeError();
  llvm::consumeError(golden.takeError());
  files.allocations = salvageAllocations(files.goldenText);
  return llvm::Error::success();
}

static llvm::Expected<MachineFiles> readMachine(const std::string &name,
                                                bool hasGolden,
                                                const CheckFolders &folders) {
  MachineFiles files;
  files.name = name;
  auto pathOf = [&](llvm::StringRef folder, llvm::StringRef ending) {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, name + ending);
    return path.str().str();
  };
  files.topologyPath = pathOf(folders.topologies, kTopologyEnding);
  files.goldenPath = pathOf(folders.golden, kGoldenEnding);
  llvm::Expected<InputFile> input = readInput(files.topologyPath);
  if (!input)
    return input.takeError();
  llvm::Expected<Topology> topology =
      parseTopology(input->text(), files.topologyPath);
  if (!topology)
    return topology.takeError();
  files.topology = std::move(*topology);
  if (hasGolden)
    if (llvm::Error error = readGoldenOf(files, folders))
      return error;
  int numGpus = static_cast<int>(files.topology.gpus().size());
  if (!folders.allocations.empty())
    files.allocations = folders.allocations;
  if (files.allocations.empty())
    files.allocations = defaultAllocations(numGpus);
  auto sets = parseAllocations(files.allocations, numGpus);
  if (!sets)
    return makeError((hasGolden ? files.goldenPath : files.topologyPath) +
                     ": allocations: " + llvm::toString(sets.takeError()));
  files.sets = std::move(*sets);
  return files;
}

llvm::Expected<std::vector<MachineFiles>>
blink::findMachines(const CheckFolders &folders) {
  // This folder is read first, because the path of the other derives from it.
  auto golden = listNames(folders.golden, kGoldenEnding);
  if (!golden)
    return makeError(llvm::toString(golden.takeError()) +
                     "; to begin with, make an empty one");
  auto topologies = listNames(folders.topologies, kTopologyEnding);
  if (!topologies)
    return makeError(llvm::toString(topologies.takeError()) +
                     "; give the folder of the machine types with "
                     "--topologies");
  llvm::Error errors = llvm::Error::success();
  auto add = [&](llvm::Error error) {
    errors = llvm::joinErrors(std::move(errors), std::move(error));
  };
  if (topologies->empty())
    add(makeError(folders.topologies + ": holds no machine type, NAME.topo"));
  for (const std::string &name : *golden)
    if (topologies->count(name) == 0)
      add(makeError(folders.golden + "/" + name + kGoldenEnding +
                    ": there is no " + folders.topologies + "/" + name +
                    kTopologyEnding + "; restore it, or delete this"));
  std::set<std::string> wanted(folders.only.begin(), folders.only.end());
  for (const std::string &name : wanted)
    if (topologies->count(name) == 0)
      add(makeError("--only: no machine type '" + name + "' in " +
                    folders.topologies));
  std::vector<MachineFiles> machines;
  for (const std::string &name : *topologies) {
    if (!wanted.empty() && wanted.count(name) == 0)
      continue;
    auto files = readMachine(name, golden->count(name) > 0, folders);
    if (files)
      machines.push_back(std::move(*files));
    else
      add(files.takeError());
  }
  if (errors)
    return errors;
  return machines;
}
