//===- Inventory.h - what a machine says of itself --------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The devices of a machine as its driver, its kernel or another program lists
// them: the PCI tree, GPUs, NICs and the links between GPUs. Readers of foreign
// formats and the probe fill it; MachineGraph.h makes a topology of it.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_IMPORT_INVENTORY_H
#define BLINK_COMPILER_IMPORT_INVENTORY_H

#include "compiler/import/Rates.h"

#include "llvm/ADT/Twine.h"

#include <string>
#include <vector>

namespace blink {

/// A CPU with memory of its own: a socket, or a part of one.
struct NumaNode {
  int id = 0; ///< the system's number, or one counted from 0
  CpuModel cpu;
  std::vector<int> processors = {}; ///< the system's numbers; empty: not told
  double coreRate = 0; ///< GB/s of a core that copies; 0: not measured
};

struct PciDevice {
  enum class Kind { bridge, gpu, nic };
  Kind kind = Kind::bridge;
  std::string busId;   ///< "0000:1b:00.0"; empty where nobody says
  int parent = -1;     ///< index of the bridge above, which stands before it
  int numaNode = -1;   ///< index of the NUMA node, where parent is -1
  PciSpeed speed;      ///< of the link to what is above
  std::string name;    ///< of a nic: "mlx5_0"; empty where nobody says
  double gigabits = 0; ///< of a nic: rate of its cable, Gb/s; 0: not known
  std::string where;   ///< "dump.xml:12:5", for messages
};

/// GPU k of the machine is the k-th of Inventory::gpus.
struct GpuDevice {
  int device = -1; ///< index of its PciDevice; -1: its place is not known
  const GpuModel *model = nullptr; ///< null: not known
  std::string where;
};

/// Links of one kind from a GPU to one other end, as the GPU sees them.
struct PeerLinks {
  enum class End { gpu, fabric, cpu };
  int gpu;
  End end;
  int index = -1; ///< of the GPU or NUMA node; -1: the switches of the fabric
  int count = 1;
  double bandwidth = 0; ///< GB/s of one link and direction; 0: the model's
  LinkKind kind = LinkKind::nvlink;
  std::string where = "";
};

/// What is told beside the result. Both kinds begin with a place.
struct ImportNotes {
  std::vector<std::string> warnings; ///< what is odd, and what was made of it
  std::vector<std::string> guesses;  ///< what the source does not say

  void warn(llvm::StringRef where, const llvm::Twine &text) {
    warnings.push_back((where + ": warning: " + text).str());
  }
  void guess(llvm::StringRef where, const llvm::Twine &text) {
    guesses.push_back((where + ": " + text).str());
  }
};

struct Inventory {
  std::string name;   ///< of the machine
  std::string source; ///< "NCCL topology XML", for people
  std::string where;  ///< the file, for notes on all of it
  std::vector<NumaNode> numaNodes;
  std::vector<PciDevice> devices;
  std::vector<GpuDevice> gpus;
  std::vector<PeerLinks> links;
  ImportNotes notes;
};

/// Whether a PCI device is a GPU that computes, by its class ("0x0302" of the
/// six digits), vendor and product: NVIDIA's and AMD's are, but for what AMD
/// sold as servers' consoles.
bool isGpu(unsigned classCode, unsigned vendor, unsigned product);

/// "0000:1b:00.0" of "00000000:1B:00.0" or "1b:00.0"; empty if `text` is no
/// PCI address.
std::string normalBusId(llvm::StringRef text);

} // namespace blink

#endif // BLINK_COMPILER_IMPORT_INVENTORY_H
