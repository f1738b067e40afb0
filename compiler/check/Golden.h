//===- Golden.h - the golden summary of a machine type ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// What a repository keeps of a machine's bundle instead of the bundle: the
// numbers that tell whether a later compiler makes better, worse or other
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

/// The message sizes, in bytes, of predicted times, and their names in a file.
inline constexpr std::array<uint64_t, 3> kGoldenSizes = {
    uint64_t(1) << 10, uint64_t(1) << 20, uint64_t(1) << 30};
inline constexpr std::array<const char *, 3> kGoldenSizeNames = {"1K", "1M",
                                                                 "1G"};

/// A program in numbers of six digits: roundGolden has been applied. Infinite
/// for one GPU: rate, links and bound.
struct GoldenProgram {
  Collective collective = Collective::allreduce;
  std::optional<int> root; ///< rank, where the collective has one
  double rate = 0;         ///< GB/s, with the pace of its lanes
  double links = 0;        ///< GB/s that links sustain
  double bound = 0;        ///< GB/s
  int depth = 0;           ///< of the variant for large messages, as the next
  int trees = 0;
  std::array<double, 3> times =
      {}; ///< us that messages of kGoldenSizes may take

  bool operator==(const GoldenProgram &other) const;
};

/// A class of allocations that are alike (AllocationClasses.h).
struct GoldenClass {
  std::vector<int> gpus;               ///< the representative
  uint64_t allocations = 0;            ///< how many there are
  std::vector<GoldenProgram> programs; ///< none: no path joins the GPUs

  bool operator==(const GoldenClass &other) const;
};

struct Golden {
  std::string machine;      ///< the topology's name
  uint64_t fingerprint = 0; ///< the topology's
  std::string allocations;  ///< what was compiled for, as parseAllocations
                            ///< reads it
  std::string compiler;     ///< who compiled the bundle, with version
  uint64_t bundleBytes = 0; ///< the bundle's size
  std::string bundleHash;   ///< SHA-256 of the bundle, in hexadecimal
  std::vector<GoldenClass> classes; ///< as in the bundle

  size_t numPrograms() const;
  uint64_t numAllocations() const;
  bool operator==(const Golden &other) const;
};

/// `value` with six significant decimal digits: as many as any comparison
/// wants, and few enough that the last bits of a floating-point unit do not
/// show.
double roundGolden(double value);

/// The golden summary of an opened bundle, `bytes`, made for `allocations`.
/// Errors: a member that sched::openPiece refuses.
llvm::Expected<Golden> summarizeBundle(const sched::BundleView &bundle,
                                       llvm::ArrayRef<uint8_t> bytes,
                                       llvm::StringRef allocations);

} // namespace blink

#endif // BLINK_COMPILER_CHECK_GOLDEN_H
