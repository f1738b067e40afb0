//===- MachineTypes.cpp - the shipped machine types -----------------------===//
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
  // Shipped files are valid: a test reads each of them.
  return llvm::cantFail(parseTopology(text, (name + ".topo").str()));
}

const MachineType *blink::findMachineType(llvm::StringRef name) {
  const MachineType *found =
      llvm::find_if(machineTypes(),
                    [&](const MachineType &type) { return type.name == name; });
  return found == machineTypes().end() ? nullptr : found;
}

/// Returns " aws p5 " for "AWS-p5", the form in which descriptions are
/// searched.
static std::string inWords(llvm::StringRef text) {
  std::string words = " " + text.lower() + " ";
  for (char &letter : words)
    if (llvm::StringRef("-,.:").contains(letter))
      letter = ' ';
  return words;
}

std::vector<llvm::StringRef> blink::machineTypesLike(llvm::StringRef word) {
  constexpr unsigned kFarthest = 2;
  constexpr size_t kMost = 4, kShortestPart = 2, kLongest = 60;
  if (word.size() < kShortestPart || word.size() > kLongest)
    return {};
  const std::string words = inWords(word);
  std::vector<std::pair<unsigned, llvm::StringRef>> near; // distance and name
  for (const MachineType &type : machineTypes()) {
    unsigned distance = word.edit_distance(type.name, true, kFarthest);
    if (type.name.contains_insensitive(word) ||
        inWords(type.description).find(words) != std::string::npos)
      near.emplace_back(0, type.name);
    else if (distance <= kFarthest && distance < word.size())
      near.emplace_back(distance, type.name);
  }
  llvm::stable_sort(near, llvm::less_first());
  std::vector<llvm::StringRef> names;
  for (const auto &[distance, name] : llvm::ArrayRef(near).take_front(kMost))
    names.push_back(name);
  return names;
}
