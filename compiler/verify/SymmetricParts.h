//===- SymmetricParts.h - what of a symmetric variant is judged -*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A symmetric variant need not be expanded to be judged. What holds of a tree
// holds of its images. A circle of folds that wait for each other, followed as
// often as its renamings, one after the other, lead back to where it began, is
// one in full; so the representatives' folds alone, joined by the channels that
// they name, are free of circles, and as fast, as all folds are.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_VERIFY_SYMMETRICPARTS_H
#define BLINK_COMPILER_VERIFY_SYMMETRICPARTS_H

#include "schedules/SymmetryGroup.h"

namespace blink::verify {

/// Some trees of a symmetric variant with all their folds, on all ranks, as a
/// variant of its own. Steps of a rank stand in the lanes and in the order that
/// they have in full, without those of other trees.
class TreesInFull {
public:
  /// The images of the variant's trees under `elements`, element by element.
  TreesInFull(const sched::Variant &variant, const sched::SymmetryGroup &group,
              sched::Collective collective,
              const std::vector<uint32_t> &elements);

  const sched::Variant &variant() const { return *variant_; }

private:
  flatbuffers::FlatBufferBuilder builder_;
  const sched::Variant *variant_;
};

/// Links of one orbit have one number. One a link.
std::vector<uint32_t> linkOrbits(const sched::SymmetryGroup &group,
                                 uint32_t numLinks);

/// What all images bring to each link, where the trees of representatives bring
/// `loads`; or the most that one image brings.
enum class Images { sum, most };
std::vector<double> loadsOfImages(const std::vector<double> &loads,
                                  const std::vector<uint32_t> &orbits,
                                  uint32_t order, Images images);

} // namespace blink::verify

#endif // BLINK_COMPILER_VERIFY_SYMMETRICPARTS_H
