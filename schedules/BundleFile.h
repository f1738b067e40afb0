//===- BundleFile.h - opening, searching and sealing bundles ----*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The rules of bundle.fbs as code, shared by both sides of the contract.
// Depends on FlatBuffers' headers only.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_SCHEDULES_BUNDLEFILE_H
#define BLINK_SCHEDULES_BUNDLEFILE_H

#include "schedules/Placement.h"
#include "schedules/ScheduleFile.h"
#include "schedules/bundle_generated.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace blink::sched {

/// The version of the format that this code reads and writes; the same as that
/// of the schedules in a bundle.
inline constexpr uint32_t kBundleVersion = kFormatVersion;
/// The condition that nothing has failed.
inline constexpr uint16_t kWholeMachine = 0;
/// The class of a survivor for which the bundle has no schedules.
inline constexpr uint32_t kNoClass = 0xffffffff;
/// In node maps: a node that does not matter.
inline constexpr uint16_t kUnmapped = 0xffff;
/// Offsets in the envelope, as at the top of bundle.fbs.
inline constexpr size_t kVersionAt = 8, kIndexBytesAt = 16, kFileBytesAt = 24,
                        kIndexAt = 32;

/// An opened bundle. It points into the bundle's bytes and is valid as long as
/// they are.
struct BundleView {
  const Bundle *index = nullptr;
  const uint8_t *pieces = nullptr;
  uint64_t piecesBytes = 0;
  /// The symmetry of the cluster; null if the bundle is not for a cluster.
  std::shared_ptr<const ClusterSymmetry> cluster;
};

/// Returns true if the bytes begin like a bundle. Reads the first 8 of them.
bool isBundle(const uint8_t *data, size_t size);

/// Opens untrusted bytes: checks the header, the checksum of the index, its
/// FlatBuffers structure, and every rule of bundle.fbs. Pieces are not read
/// here; openPiece checks them one by one. `data` must be 8-byte aligned. Time
/// and memory are linear in the index, apart from a logarithm. Returns false
/// with a sentence in `error` that names the place.
[[nodiscard]] bool openBundle(const uint8_t *data, size_t size,
                              BundleView &bundle, std::string &error);

/// Opens the piece of class number `classNumber` for the `collective`-th of
/// index->collectives(), and returns its schedule, checked as by openSchedule
/// and against the class. Returns null with a sentence in `error`, or null
/// without one if no path joins the class's GPUs.
[[nodiscard]] const Schedule *openPiece(const BundleView &bundle,
                                        uint32_t classNumber,
                                        uint32_t collective,
                                        std::string &error);

/// Returns the number of the condition under which all links between two nodes
/// are gone. `ends` names the nodes by their ids in either order: "gpu0:gpu3",
/// "gpu3:gpu0". Returns std::nullopt if the bundle has no such condition, or if
/// ids contain colons and `ends` could mean several conditions.
std::optional<uint16_t> findCondition(const BundleView &bundle,
                                      const std::string &ends);

/// Returns what serves `gpus`, in ascending order, under condition `condition`:
/// the survivor, or if there is none the entry, whose schedules do not use the
/// failed links. The result equals that for kWholeMachine in the latter case.
/// Returns null if there is no such allocation or condition, or nothing for the
/// two. Takes logarithmic time in the number of entries. In a bundle for a
/// cluster, returns the entry of the placement that represents `gpus`.
const Entry *findEntry(const BundleView &bundle, uint16_t condition,
                       const std::vector<uint16_t> &gpus);

/// Returns, for each of `gpus` (GPU numbers in the order of a job's ranks), the
/// rank that it plays in the representative's programs. `gpus` are those of
/// `entry`, in any order. With a `root`, a rank of the job, the result is for
/// programs of a rooted collective: `servingRoot` is set to the root that the
/// program must have, and the map goes by way of the class's root maps.
///
/// Example: for a job on GPUs 6,5, a representative on 0,1, and a map of the
/// entry that carries 0 onto 5 and 1 onto 6, returns ranks {1, 0}.
std::vector<uint16_t> programRanks(const BundleView &bundle, const Entry &entry,
                                   const std::vector<uint16_t> &gpus);
std::vector<uint16_t> programRanks(const BundleView &bundle, const Entry &entry,
                                   const std::vector<uint16_t> &gpus,
                                   uint16_t root, uint16_t &servingRoot);

/// The same, given `ranks` from programRanks without a root, which avoids the
/// search.
std::vector<uint16_t> turnToRoot(const BundleView &bundle, const Entry &entry,
                                 std::vector<uint16_t> ranks, uint16_t root,
                                 uint16_t &servingRoot);

/// Returns the bytes of a bundle: finishes `builder` with the index `root`,
/// followed by `pieces` in their order, including empty ones. Frees the pieces
/// one by one as they are copied.
std::vector<uint8_t> sealBundle(flatbuffers::FlatBufferBuilder &builder,
                                flatbuffers::Offset<Bundle> root,
                                std::vector<std::vector<uint8_t>> pieces);

} // namespace blink::sched

#endif // BLINK_SCHEDULES_BUNDLEFILE_H
