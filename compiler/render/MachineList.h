//===- MachineList.h - the machine types that are shipped -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_RENDER_MACHINELIST_H
#define BLINK_COMPILER_RENDER_MACHINELIST_H

#include <string>
#include <vector>

namespace blink {

/// What `blinkc topo list` reports about a machine type.
struct ListedMachine {
  std::string name;
  std::string description;
  int gpus;
  double allreduceBound; ///< GB/s, for all GPUs over all links
};

std::string toText(const std::vector<ListedMachine> &machines);
std::string toJson(const std::vector<ListedMachine> &machines);

} // namespace blink

#endif // BLINK_COMPILER_RENDER_MACHINELIST_H
