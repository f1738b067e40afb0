//===- Rates.cpp - published rates of links -------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/import/Rates.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace blink;

// Sources: NVIDIA's and AMD's data sheets and architecture papers for nominal
// rates and numbers of links; graph/topo.h of NCCL and of RCCL for `nccl`. If
// several models match, the first is the most common.
static constexpr GpuModel kModels[] = {
    // name, product, architecture, kind, nominal, nccl, links, switch, PCIe
    {"p100-sxm", "p100 sxm2", 60, LinkKind::nvlink, 20, 18, 4, false, 8},
    {"p100-pcie", "p100 pcie", 60, LinkKind::nvlink, 20, 18, 0, false, 8},
    {"v100-sxm", "v100 sxm", 70, LinkKind::nvlink, 25, 20, 6, true, 8},
    {"v100-pcie", "v100 pcie", 70, LinkKind::nvlink, 25, 20, 0, false, 8},
    {"t4", "t4", 75, LinkKind::nvlink, 25, 20, 0, false, 8},
    {"rtx-8000", "quadro rtx 8000", 75, LinkKind::nvlink, 25, 20, 2, false, 8},
    {"a100-sxm", "a100 sxm4", 80, LinkKind::nvlink, 25, 20, 12, true, 16},
    {"a100-pcie", "a100 pcie", 80, LinkKind::nvlink, 25, 20, 12, false, 16},
    {"a10g", "a10g", 86, LinkKind::nvlink, 14.0625, 12, 0, false, 16},
    {"a10", "a10", 86, LinkKind::nvlink, 14.0625, 12, 0, false, 16},
    {"a40", "a40", 86, LinkKind::nvlink, 14.0625, 12, 4, false, 16},
    {"rtx-a6000", "rtx a6000", 86, LinkKind::nvlink, 14.0625, 12, 4, false, 16},
    {"rtx-3090", "rtx 3090", 86, LinkKind::nvlink, 14.0625, 12, 4, false, 16},
    {"l40s", "l40s", 89, LinkKind::nvlink, 25, 20, 0, false, 16},
    {"l40", "l40", 89, LinkKind::nvlink, 25, 20, 0, false, 16},
    {"l4", "l4", 89, LinkKind::nvlink, 25, 20, 0, false, 16},
    {"rtx-4090", "rtx 4090", 89, LinkKind::nvlink, 25, 20, 0, false, 16},
    {"h100-sxm", "h100 hbm3", 90, LinkKind::nvlink, 25, 20.6, 18, true, 32},
    {"h100-pcie", "h100 pcie", 90, LinkKind::nvlink, 25, 20.6, 12, false, 32},
    {"h100-nvl", "h100 nvl", 90, LinkKind::nvlink, 25, 20.6, 18, false, 32},
    {"h800-sxm", "h800", 90, LinkKind::nvlink, 25, 20.6, 8, true, 32},
    {"h200-nvl", "h200 nvl", 90, LinkKind::nvlink, 25, 20.6, 18, false, 32},
    {"h200-sxm", "h200", 90, LinkKind::nvlink, 25, 20.6, 18, true, 32},
    {"gh200", "gh200", 90, LinkKind::nvlink, 25, 20.6, 18, false, 32},
    {"b200-sxm", "b200", 100, LinkKind::nvlink, 50, 40.1, 18, true, 32},
    {"gb200", "gb200", 100, LinkKind::nvlink, 50, 40.1, 18, true, 32},
    {"b300-sxm", "b300", 103, LinkKind::nvlink, 50, 40.1, 18, true, 64},
    {"rtx-5090", "rtx 5090", 120, LinkKind::nvlink, 25, 20, 0, false, 32},
    {"rtx-pro-6000", "rtx pro 6000", 120, LinkKind::nvlink, 25, 20, 0, false,
     32},
    {"mi50", "mi50", 906, LinkKind::xgmi, 46, 24, 2, false, 16},
    {"mi100", "mi100", 908, LinkKind::xgmi, 46, 24, 3, false, 16},
    {"mi250", "mi250", 910, LinkKind::xgmi, 50, 36, 8, false, 16},
    {"mi300x", "mi300x", 942, LinkKind::xgmi, 64, 48, 7, false, 32},
    {"mi325x", "mi325x", 942, LinkKind::xgmi, 64, 48, 7, false, 32},
    {"mi350x", "mi350x", 950, LinkKind::xgmi, 76.8, 48, 7, false, 32},
    {"mi355x", "mi355x", 950, LinkKind::xgmi, 76.8, 48, 7, false, 32},
};

llvm::ArrayRef<GpuModel> blink::gpuModels() { return kModels; }

const GpuModel *blink::findGpuModel(llvm::StringRef name) {
  for (const GpuModel &model : kModels)
    if (model.name.equals_insensitive(name))
      return &model;
  // "h100" means the first of its family.
  for (const GpuModel &model : kModels)
    if (model.name.split('-').first.equals_insensitive(name))
      return &model;
  return nullptr;
}

/// Whether a word begins with `wanted` and does not continue a number there:
/// "sxm4" begins with "sxm" and "mi250x" with "mi250", but "a100" does not
/// begin with "a10".
static bool beginsWith(llvm::StringRef word, llvm::StringRef wanted) {
  return word.consume_front(wanted) &&
         (word.empty() || !llvm::isDigit(word.front()) ||
          !llvm::isDigit(wanted.back()));
}

const GpuModel *blink::gpuModelOfProduct(llvm::StringRef product) {
  std::string lower = product.lower();
  for (char &letter : lower)
    if (!llvm::isAlnum(letter))
      letter = ' ';
  llvm::SmallVector<llvm::StringRef, 8> words;
  llvm::StringRef(lower).split(words, ' ', -1, false);
  auto isThere = [&](llvm::StringRef wanted) {
    return llvm::any_of(
        words, [&](llvm::StringRef word) { return beginsWith(word, wanted); });
  };

  const GpuModel *best = nullptr;
  size_t mostWords = 0;
  for (const GpuModel &model : kModels) {
    llvm::SmallVector<llvm::StringRef, 4> wanted;
    model.product.split(wanted, ' ', -1, false);
    if (wanted.size() > mostWords && llvm::all_of(wanted, isThere)) {
      best = &model;
      mostWords = wanted.size();
    }
  }
  if (best)
    return best;
  for (const GpuModel &model : kModels) { // "Tesla V100-DGXS-16GB"
    llvm::StringRef chip = model.product.split(' ').first;
    if (llvm::isDigit(chip.back()) && isThere(chip))
      return &model;
  }
  return nullptr;
}

const GpuModel *blink::gpuModelOfArchitecture(int architecture) {
  for (const GpuModel &model : kModels)
    if (model.architecture == architecture)
      return &model;
  return nullptr;
}

const GpuModel *blink::gpuModelOfLinkCount(int links, int toOne) {
  // A B200 also has 18, but it is newer and rarer.
  switch (links) {
  case 4: // all four of an RTX A6000, RTX 3090 or A40 are in one bridge
    return findGpuModel(toOne == 4 ? "rtx-a6000" : "p100-sxm");
  case 6:
    return findGpuModel("v100-sxm");
  case 12:
    return findGpuModel("a100-sxm");
  case 18:
    return findGpuModel("h100-sxm");
  default:
    return nullptr;
  }
}

double blink::pciBandwidth(PciSpeed speed, RateSource source) {
  if (source == RateSource::nccl) // 12 GB/s for 16 lanes of 8 GT/s
    return speed.lanes * speed.gigatransfers * 12 / (16 * 8.0);
  // Encodings: 8b/10b up to 5 GT/s, 128b/130b from 8 GT/s, FLITs of 256 bytes
  // with 242 bytes of payload from 64 GT/s. Rounded as in data sheets (15.75,
  // 31.5, 63).
  double efficiency = speed.gigatransfers < 8    ? 0.8
                      : speed.gigatransfers < 64 ? 15.75 / 16
                                                 : 242.0 / 256;
  return speed.lanes * speed.gigatransfers / 8 * efficiency;
}

double blink::parsePciSpeed(llvm::StringRef text) {
  double value = 0;
  llvm::StringRef number = text.trim().take_while(
      [](char c) { return llvm::isDigit(c) || c == '.'; });
  if (number.getAsDouble(value))
    return 0;
  for (double known : {2.5, 5.0, 8.0, 16.0, 32.0, 64.0})
    if (value == known)
      return value;
  return 0;
}

HostRate blink::hostRate(const CpuModel &cpu, RateSource source) {
  using Vendor = CpuModel::Vendor;
  struct Row {
    Vendor vendor;
    int family, fromModel; // including later models of the family
    double nominal, nccl;
    const char *reason;
  };
  // The last matching row counts. Nominal: Intel's QPI and UPI carry two bytes
  // per transfer; AMD's links between sockets have sixteen lanes.
  static constexpr Row kRows[] = {
      {Vendor::unknown, 0, 0, 32, 10, "a CPU that is not named"},
      {Vendor::intel, 0, 0, 38.4, 6, "two QPI links of 19.2 GB/s"},
      {Vendor::intel, 6, 79, 38.4, 6, "two QPI links of 19.2 GB/s, Broadwell"},
      {Vendor::intel, 6, 85, 41.6, 10, "two UPI links of 20.8 GB/s, Skylake"},
      {Vendor::intel, 6, 106, 67.2, 10,
       "three UPI links of 22.4 GB/s, Ice Lake"},
      {Vendor::intel, 6, 143, 96, 22,
       "three UPI links of 32 GB/s, Sapphire Rapids"},
      {Vendor::intel, 6, 173, 144, 40,
       "three UPI links of 48 GB/s, Granite Rapids"},
      {Vendor::intel, 6, 207, 120, 40,
       "three UPI links of 40 GB/s, Emerald Rapids"},
      {Vendor::amd, 0, 0, 96, 16, "three xGMI links of 32 GB/s, EPYC"},
      {Vendor::amd, 25, 16, 192, 16, "three xGMI links of 64 GB/s, EPYC Genoa"},
      {Vendor::amd, 26, 0, 192, 16, "three xGMI links of 64 GB/s, EPYC Turin"},
      {Vendor::zhaoxin, 0, 0, 12, 6, "ZPI"},
      {Vendor::arm, 0, 0, 100, 6, "links between Arm CPUs"},
      {Vendor::power, 0, 0, 64, 32, "the X bus of POWER9"},
  };
  const Row *found = &kRows[0];
  for (const Row &row : kRows)
    if (row.vendor == cpu.vendor &&
        (row.family == 0 ||
         (row.family == cpu.family && row.fromModel <= cpu.model)))
      found = &row;
  if (source == RateSource::nccl)
    return {found->nccl, std::string("NCCL's figure for ") + found->reason};
  return {found->nominal, found->reason};
}
