//===- Rates.h - what links are known to carry ------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Tables of public figures: links between GPUs by model, PCIe by generation and
// width, links between sockets by CPU. Importers and the probe look rates up
// here where a source has none.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_IMPORT_RATES_H
#define BLINK_COMPILER_IMPORT_RATES_H

#include "compiler/topology/Topology.h"

#include "llvm/ADT/ArrayRef.h"

namespace blink {

/// Whose figures: the makers' own, or those of NCCL's model, which are what it
/// plans with, nearer to what programs get.
enum class RateSource { nominal, nccl };

struct GpuModel {
  llvm::StringLiteral name;    ///< of --gpu-model: "h100-sxm"
  llvm::StringLiteral product; ///< words of its product name, for matching
  int architecture;            ///< 90: compute capability 9.0; 942: gfx942
  LinkKind peerKind;           ///< of its links to other GPUs
  double nominal, nccl;        ///< GB/s of such a link and direction
  int maxLinks;                ///< 0: it has none
  bool onSwitch; ///< eight and more of them are sold on switches of their own
  double pciGigatransfers; ///< of its own PCIe interface

  double linkRate(RateSource source) const {
    return source == RateSource::nominal ? nominal : nccl;
  }
};

llvm::ArrayRef<GpuModel> gpuModels();
/// By the name of --gpu-model, case aside. Null: unknown.
const GpuModel *findGpuModel(llvm::StringRef name);
/// By what drivers call it, "NVIDIA H100 80GB HBM3". Null: unknown.
const GpuModel *gpuModelOfProduct(llvm::StringRef product);
/// The most common model of a compute capability (90) or gfx number (942).
const GpuModel *gpuModelOfArchitecture(int architecture);
/// The model whose links are known to come in this number, all of one GPU
/// together: 18 are an H100's. Null: several or none.
const GpuModel *gpuModelOfLinkCount(int links);

/// Speed of one lane and their number; 0: not known.
struct PciSpeed {
  double gigatransfers = 0;
  int lanes = 0;
  bool isKnown() const { return gigatransfers > 0 && lanes > 0; }
};

/// GB/s of a direction. `speed` is known.
double pciBandwidth(PciSpeed speed, RateSource source);
/// Reads "32.0 GT/s PCIe", "8 GT/s"; 0 if there is no such speed.
double parsePciSpeed(llvm::StringRef text);

struct CpuModel {
  enum class Vendor { unknown, intel, amd, zhaoxin, arm, power };
  Vendor vendor = Vendor::unknown;
  int family = 0; ///< as in /proc/cpuinfo
  int model = 0;
};

struct HostRate {
  double bandwidth;   ///< GB/s of a direction, all links between two together
  std::string reason; ///< "three UPI links of 22.4 GB/s (Ice Lake)"
};
/// What joins two sockets of such CPUs.
HostRate hostRate(const CpuModel &cpu, RateSource source);

// Planning figures, microseconds, those of the shipped machine types.
inline constexpr double kPeerLatency = 0.6;    // GPU to GPU
inline constexpr double kXgmiLatency = 0.7;    // the same, AMD
inline constexpr double kFabricLatency = 0.35; // GPU to switch
inline constexpr double kPciLatency = 0.5;
inline constexpr double kHostLatency = 0.3;

} // namespace blink

#endif // BLINK_COMPILER_IMPORT_RATES_H
