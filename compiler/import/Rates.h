//===- Rates.h - published rates of links -----------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Tables of published figures: links between GPUs by model, PCIe by generation
// and width, links between sockets by CPU. Importers and the probe look up here
// the rates that their source does not state.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_IMPORT_RATES_H
#define BLINK_COMPILER_IMPORT_RATES_H

#include "compiler/topology/Topology.h"

#include "llvm/ADT/ArrayRef.h"

namespace blink {

/// The source of the figures: the vendors, or the model that NCCL plans with,
/// which is closer to what programs reach.
enum class RateSource { nominal, nccl };

struct GpuModel {
  llvm::StringLiteral name;    ///< its name in --gpu-model: "h100-sxm"
  llvm::StringLiteral product; ///< words to match in product names
  int architecture;            ///< 90: compute capability 9.0; 942: gfx942
  LinkKind peerKind;           ///< of its links to other GPUs
  double nominal, nccl;        ///< GB/s of one such link per direction
  int maxLinks;                ///< 0: it has none
  bool onSwitch;               ///< sold in groups of eight or more on switches
  double pciGigatransfers;     ///< of its own PCIe interface

  double linkRate(RateSource source) const {
    return source == RateSource::nominal ? nominal : nccl;
  }
};

llvm::ArrayRef<GpuModel> gpuModels();
/// Finds a model by its name in --gpu-model, ignoring case. Null: unknown.
const GpuModel *findGpuModel(llvm::StringRef name);
/// Finds a model by the name that drivers report, "NVIDIA H100 80GB HBM3".
/// Null: unknown.
const GpuModel *gpuModelOfProduct(llvm::StringRef product);
/// Returns the most common model of a compute capability (90) or gfx number
/// (942).
const GpuModel *gpuModelOfArchitecture(int architecture);
/// Returns the model whose GPUs have `links` links in total: an H100 has 18. If
/// several have, it is the most common one of which `toOne` of the links may
/// lead to one other GPU. Null: none.
const GpuModel *gpuModelOfLinkCount(int links, int toOne);

/// Speed of a lane and number of lanes; 0: unknown.
struct PciSpeed {
  double gigatransfers = 0;
  int lanes = 0;
  bool isKnown() const { return gigatransfers > 0 && lanes > 0; }
};

/// Returns GB/s per direction. `speed` is known.
double pciBandwidth(PciSpeed speed, RateSource source);
/// Reads "32.0 GT/s PCIe", "8 GT/s"; returns 0 if the text has no such speed.
double parsePciSpeed(llvm::StringRef text);

struct CpuModel {
  enum class Vendor { unknown, intel, amd, zhaoxin, arm, power };
  Vendor vendor = Vendor::unknown;
  int family = 0; ///< as in /proc/cpuinfo
  int model = 0;
};

struct HostRate {
  double bandwidth;   ///< GB/s per direction, all links together
  std::string reason; ///< "three UPI links of 22.4 GB/s (Ice Lake)"
};
/// Returns the rate of the links between two sockets with such CPUs.
HostRate hostRate(const CpuModel &cpu, RateSource source);

// Planning figures in microseconds, as in the shipped machine types.
inline constexpr double kPeerLatency = 0.6;    // GPU to GPU
inline constexpr double kXgmiLatency = 0.7;    // GPU to GPU, AMD
inline constexpr double kFabricLatency = 0.35; // GPU to switch
inline constexpr double kPciLatency = 0.5;
inline constexpr double kHostLatency = 0.3;

} // namespace blink

#endif // BLINK_COMPILER_IMPORT_RATES_H
