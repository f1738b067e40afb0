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

/// The version of the format that is read and written, as of the schedules in
/// it.
inline constexpr uint32_t kBundleVersion = kFormatVersion;
/// The condition that nothing has failed.
inline constexpr uint16_t kWholeMachine = 0;
/// The class of a survivor for which the bundle has nothing.
inline constexpr uint32_t kNoClass = 0xffffffff;
/// In node maps: a node that does not matter.
inline constexpr uint16_t kUnmapped = 0xffff;
/// The envelope, as at the top of bundle.fbs.
inline constexpr size_t kVersionAt = 8, kIndexBytesAt = 16, kFileBytesAt = 24,
                        kIndexAt = 32;

/// An opened bundle: points into its bytes and lives as long.
struct BundleView {
  const Bundle *index = nullptr;
  const uint8_t *pieces = nullptr;
  uint64_t piecesBytes = 0;
  /// Of a bundle for a cluster; null for others.
  std::shared_ptr<const ClusterSymmetry> cluster;
};

/// Whether the bytes begin like a bundle's. Looks at 8 of them.
bool isBundle(const uint8_t *data, size_t size);

/// Opens untrusted bytes: header, checksum of the index, its FlatBuffers
/// structure, every rule of bundle.fbs. Pieces are not looked at: openPiece
/// does that, one by one. `data` must be 8-byte aligned. Time and memory are
/// linear in the index but for a logarithm. False with a sentence in `error`
/// that names the place.
[[nodiscard]] bool openBundle(const uint8_t *data, size_t size,
                              BundleView &bundle, std::string &error);

/// Opens the piece of class number `classNumber` and the `collective`-th of
/// index->collectives(): its schedule, checked as openSchedule does and against
/// the class. Null with a sentence in `error`; null without one if no path
/// joins the class's GPUs.
[[nodiscard]] const Schedule *openPiece(const BundleView &bundle,
                                        uint32_t classNumber,
                                        uint32_t collective,
                                        std::string &error);

/// The number of the condition that all links between two nodes are gone, which
/// `ends` names by their ids in either order: "gpu0:gpu3", "gpu3:gpu0". Nothing
/// if the bundle knows no such condition, or if ids hold colons and `ends`
/// could mean several.
std::optional<uint16_t> findCondition(const BundleView &bundle,
                                      const std::string &ends);

/// What serves `gpus`, in ascending order, under condition `condition`: the
/// survivor, or else the entry, whose schedules do without the failed links.
/// It is the entry when it equals that for kWholeMachine. Null if there is no
/// such allocation or condition, or nothing for the two. Logarithmic in the
/// number of entries. On a cluster it is the entry of what represents `gpus`.
const Entry *findEntry(const BundleView &bundle, uint16_t condition,
                       const std::vector<uint16_t> &gpus);

/// For each of `gpus`, GPU numbers in the order of a job's ranks, the rank of
/// the representative's programs that it plays. `gpus` are those of `entry`, in
/// any order. With a `root`, a rank of the job, for programs of a rooted
/// collective: `servingRoot` becomes the root that the program must have, and
/// the map goes by way of the class's root maps.
///
/// A job on GPUs 6,5 where the representative is 0,1 and the entry's map
/// carries 0 onto 5 and 1 onto 6: ranks {1, 0}.
std::vector<uint16_t> programRanks(const BundleView &bundle, const Entry &entry,
                                   const std::vector<uint16_t> &gpus);
std::vector<uint16_t> programRanks(const BundleView &bundle, const Entry &entry,
                                   const std::vector<uint16_t> &gpus,
                                   uint16_t root, uint16_t &servingRoot);

/// The same from `ranks`, what programRanks says without a root, which takes no
/// search.
std::vector<uint16_t> turnToRoot(const BundleView &bundle, const Entry &entry,
                                 std::vector<uint16_t> ranks, uint16_t root,
                                 uint16_t &servingRoot);

/// The bytes of a bundle: finishes `builder` with the index `root`, whose
/// pieces are `pieces`, in their order, empty ones among them. Pieces given
/// away are freed on the way.
std::vector<uint8_t> sealBundle(flatbuffers::FlatBufferBuilder &builder,
                                flatbuffers::Offset<Bundle> root,
                                std::vector<std::vector<uint8_t>> pieces);

} // namespace blink::sched

#endif // BLINK_SCHEDULES_BUNDLEFILE_H
