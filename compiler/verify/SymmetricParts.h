//===- SymmetricParts.h - parts of a variant to judge -----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A symmetric variant need not be expanded to be judged. A property of a tree
// holds for its images, too. A circle of representatives' folds that wait for
// each other corresponds to a circle in full: follow it again and again,
// applying its renamings one after the other, until they lead back to where it
// began. So the representatives' folds alone, joined by the channels that they
// name, are free of circles exactly if all folds are, and they are as fast.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_VERIFY_SYMMETRICPARTS_H
#define BLINK_COMPILER_VERIFY_SYMMETRICPARTS_H

#include "schedules/SymmetryGroup.h"

namespace blink::verify {

/// Some trees of a symmetric variant with all their folds on all ranks, as a
/// variant of its own. The steps of a rank stand in the lanes and in the order
/// that they have in full, without the steps of other trees.
class TreesInFull {
public:
  /// Holds the images of the variant's trees under `elements`, element by
  /// element.
  TreesInFull(const sched::Variant &variant, const sched::SymmetryGroup &group,
              sched::Collective collective,
              const std::vector<uint32_t> &elements);

  const sched::Variant &variant() const { return *variant_; }

private:
  flatbuffers::FlatBufferBuilder builder_;
  const sched::Variant *variant_;
};

/// Returns one number for each link, equal for links of the same orbit.
std::vector<uint32_t> linkOrbits(const sched::SymmetryGroup &group,
                                 uint32_t numLinks);

/// Returns what all images together bring to each link if the trees of
/// representatives bring `loads`, or the most that one image brings.
enum class Images { sum, most };
std::vector<double> loadsOfImages(const std::vector<double> &loads,
                                  const std::vector<uint32_t> &orbits,
                                  uint32_t order, Images images);

} // namespace blink::verify

#endif // BLINK_COMPILER_VERIFY_SYMMETRICPARTS_H
