//===- Inventory.h - the devices of a machine -------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The devices of a machine as its driver, its kernel or another program lists
// them: the PCI tree, GPUs, NICs and the links between GPUs. Readers of foreign
// formats and the probe fill an inventory, and MachineGraph.h turns it into a
// topology.
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
  int id = 0; ///< the system's number, or counted from 0
  CpuModel cpu;
  std::vector<int> processors = {}; ///< the system's numbers; empty: unknown
  double coreRate = 0; ///< GB/s of a core that copies; 0: not measured
};

struct PciDevice {
  enum class Kind { bridge, gpu, nic };
  Kind kind = Kind::bridge;
  std::string busId;   ///< "0000:1b:00.0"; empty if unknown
  int parent = -1;     ///< index of the bridge above, which precedes it
  int numaNode = -1;   ///< index of the NUMA node, if parent is -1
  PciSpeed speed;      ///< of the link to the parent
  std::string name;    ///< of a nic: "mlx5_0"; empty if unknown
  double gigabits = 0; ///< of a nic: rate of its cable, Gb/s; 0: unknown
  std::string where;   ///< "dump.xml:12:5", for messages
};

/// GPU k of the machine is the k-th of Inventory::gpus.
struct GpuDevice {
  int device = -1;                 ///< index of its PciDevice; -1: unknown
  const GpuModel *model = nullptr; ///< null: unknown
  std::string where;
};

/// Links of one kind from a GPU to one other device, as the GPU lists them.
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

/// Remarks beside the result. Each begins with a place.
struct ImportNotes {
  std::vector<std::string> warnings; ///< oddities, and how they were resolved
  std::vector<std::string> guesses;  ///< what the source does not state

  void warn(llvm::StringRef where, const llvm::Twine &text) {
    warnings.push_back((where + ": warning: " + text).str());
  }
  void guess(llvm::StringRef where, const llvm::Twine &text) {
    guesses.push_back((where + ": " + text).str());
  }
};

struct Inventory {
  std::string name;   ///< of the machine
  std::string source; ///< "NCCL topology XML", for display
  std::string where;  ///< the file, for notes on it as a whole
  std::vector<NumaNode> numaNodes;
  std::vector<PciDevice> devices;
  std::vector<GpuDevice> gpus;
  std::vector<PeerLinks> links;
  ImportNotes notes;
};

/// Returns true if a PCI device with this class (0x0302: the upper four of its
/// six digits), vendor and product is a GPU that computes. NVIDIA's and AMD's
/// GPUs are, except those that AMD sold as server consoles.
bool isGpu(unsigned classCode, unsigned vendor, unsigned product);

/// Returns "0000:1b:00.0" for "00000000:1B:00.0" or "1b:00.0"; empty if `text`
/// is no PCI address.
std::string normalBusId(llvm::StringRef text);
/// Returns true if a device comes before another one by their bus ids, which
/// normalBusId made: the order in which drivers number GPUs.
inline bool isBusBefore(const std::string &one, const std::string &other) {
  // A domain of five digits comes after those of four.
  return one.size() != other.size() ? one.size() < other.size() : one < other;
}
/// Sorts GPUs by bus id.
void sortGpus(Inventory &inventory);

} // namespace blink

#endif // BLINK_COMPILER_IMPORT_INVENTORY_H
