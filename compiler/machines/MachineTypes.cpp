//===- MachineTypes.cpp - the machine types that are shipped --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// machineTypes() itself is in MachineTexts.cpp, which EmbedMachines.cmake
// writes into the build folder.
//
//===----------------------------------------------------------------------===//

#include "compiler/machines/MachineTypes.h"

#include "compiler/topology/TopologyReader.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

#include <algorithm>

using namespace blink;

Topology MachineType::topology() const {
  // Shipped files are right: a test reads each of them.
  return llvm::cantFail(parseTopology(text, (name + ".topo").str()));
}

const MachineType *blink::findMachineType(llvm::StringRef name) {
  const MachineType *found =
      llvm::find_if(machineTypes(),
                    [&](const MachineType &type) { return type.name == name; });
  return found == machineTypes().end() ? nullptr : found;
}

std::vector<llvm::StringRef> blink::machineTypesLike(llvm::StringRef word) {
  constexpr unsigned kFarthest = 2;
  constexpr size_t kMost = 4, kShortestPart = 3, kLongest = 60;
  if (word.size() > kLongest)
    return {};
  std::vector<std::pair<unsigned, llvm::StringRef>> near;
  for (const MachineType &type : machineTypes()) {
    unsigned distance = word.edit_distance(type.name, true, kFarthest);
    if (distance <= kFarthest)
      near.emplace_back(distance, type.name);
    else if (word.size() >= kShortestPart &&
             type.name.contains_insensitive(word))
      near.emplace_back(kFarthest + 1, type.name);
  }
  llvm::stable_sort(near, llvm::less_first());
  std::vector<llvm::StringRef> names;
  for (const auto &[distance, name] : llvm::ArrayRef(near).take_front(kMost))
    names.push_back(name);
  return names;
}
