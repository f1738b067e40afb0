//===- Golden.h - golden summary of a machine type --------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The numbers that a repository keeps of a machine's bundle instead of the
// bundle. They tell whether a later compiler makes better, worse or different
// schedules. Plain data; GoldenFile.h reads and writes it.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_CHECK_GOLDEN_H
#define BLINK_COMPILER_CHECK_GOLDEN_H

#include "compiler/topology/Topology.h"
#include "schedules/BundleFile.h"

#include "llvm/ADT/ArrayRef.h"

#include <array>

namespace blink {

/// The message sizes of predicted times in bytes, and their names in a file.
inline constexpr std::array<uint64_t, 3> kGoldenSizes = {
    uint64_t(1) << 10, uint64_t(1) << 20, uint64_t(1) << 30};
inline constexpr std::array<const char *, 3> kGoldenSizeNames = {"1K", "1M",
                                                                 "1G"};

/// A program in numbers of six digits, rounded by roundGolden(). For one GPU
/// rate, links and bound are infinite.
struct GoldenProgram {
  Collective collective = Collective::allreduce;
  std::optional<int> root; ///< A rank, if the collective has one.
  double rate = 0;         ///< GB/s, with the pace of its lanes.
  double links = 0;        ///< GB/s that links sustain.
  double bound = 0;        ///< GB/s.
  int depth = 0;           ///< The depth of the variant for large messages.
  int trees = 0;           ///< The number of trees of that variant.
  std::array<double, 3> times =
      {}; ///< Predicted us for messages of kGoldenSizes.

  bool operator==(const GoldenProgram &other) const;
};

/// A class of allocations that are alike (AllocationClasses.h).
struct GoldenClass {
  std::vector<int> gpus;               ///< The representative.
  uint64_t allocations = 0;            ///< How many there are.
  std::vector<GoldenProgram> programs; ///< Empty if no path joins the GPUs.

  bool operator==(const GoldenClass &other) const;
};

struct Golden {
  std::string machine;      ///< The topology's name.
  uint64_t fingerprint = 0; ///< The topology's fingerprint.
  /// What was compiled for, in the form of parseAllocations.
  std::string allocations;
  std::string compiler;     ///< The compiler of the bundle, with its version.
  uint64_t bundleBytes = 0; ///< The bundle's size.
  std::string bundleHash;   ///< SHA-256 of the bundle, in hexadecimal.
  std::vector<GoldenClass> classes; ///< The classes of the bundle, in order.

  size_t numPrograms() const;
  uint64_t numAllocations() const;
  bool operator==(const Golden &other) const;
};

/// Returns `value` with six significant decimal digits: enough for any
/// comparison, and so few that differences in the last bits of floating-point
/// units do not show.
double roundGolden(double value);

/// Returns the golden summary of an opened bundle with the contents `bytes`,
/// compiled for `allocations`. Errors: a member that sched::openPiece refuses.
llvm::Expected<Golden> summarizeBundle(const sched::BundleView &bundle,
                                       llvm::ArrayRef<uint8_t> bytes,
                                       llvm::StringRef allocations);

} // namespace blink

#endif // BLINK_COMPILER_CHECK_GOLDEN_H
