//===- SelfTest.cpp - every channel with data -----------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A channel carries the chunks of its tree, so it carries data in a call if the
// tree's part of a block is not empty. The runtime's own geometry determines
// that part.
//
//===----------------------------------------------------------------------===//

#include "tools/blink-perf/SelfTest.h"

#include "runtime/core/Geometry.h"
#include "schedules/Text.h"
#include "tools/blink-perf/Table.h"

#include <algorithm>

namespace blink::perf {
namespace {

/// Large enough for several chunks of every tree, small enough for a second.
constexpr uint64_t kLargeBytes = 4 << 20;
constexpr uint64_t kSmallBytes = 64 << 10;
/// Limits the memory for a tree with a tiny share.
constexpr uint64_t kMostBytes = 256 << 20;

uint32_t countCarrying(const sched::Variant &variant, uint64_t count,
                       uint32_t elementBytes) {
  std::vector<bool> used;
  uint32_t before = 0; // within the block, whose trees are consecutive
  for (const sched::Tree *tree : *variant.trees()) {
    used.push_back(runtime::treeRange(count, elementBytes, before,
                                      tree->numerator(), tree->denominator())
                       .size() != 0);
    before += tree->numerator();
    if (before == tree->denominator())
      before = 0;
  }
  uint32_t carrying = 0;
  for (const sched::Channel *channel : *variant.channels())
    carrying += used[channel->tree()];
  return carrying;
}

/// Returns a count from which on every tree has data, however parts are
/// rounded: its exact part of the block has at least one granule.
uint64_t countForAll(const sched::Variant &variant, uint32_t elementBytes) {
  uint64_t granules = 1;
  for (const sched::Tree *tree : *variant.trees())
    granules = std::max<uint64_t>(
        granules, (uint64_t(tree->denominator()) + tree->numerator() - 1) /
                      tree->numerator());
  return granules * (runtime::kGranuleBytes / elementBytes);
}

/// Sets the count and the fields that depend on it; returns false if no call of
/// this type uses the variant.
bool chooseCount(const sched::Variant &variant, bool isLast, Case &c) {
  const uint32_t elementBytes = uint32_t(sizeOf(c.type));
  const uint64_t unit = c.unit();
  const uint64_t least = std::max<uint64_t>(
      1, variant.min_bytes() / unit + (variant.min_bytes() % unit != 0));
  const uint64_t most =
      std::max(least, std::min(variant.max_bytes() - 1, kMostBytes) / unit);
  if (least > (variant.max_bytes() - 1) / unit)
    return false;
  const uint64_t wanted = std::max((isLast ? kLargeBytes : kSmallBytes) / unit,
                                   countForAll(variant, elementBytes));
  c.count = std::clamp(wanted, least, most);
  c.channels = variant.channels()->size();
  c.carrying = countCarrying(variant, c.count, elementBytes);
  return true;
}

std::string plural(uint64_t number, const char *word) {
  return std::to_string(number) + " " + word + (number == 1 ? "" : "s");
}

std::string describeVariant(const sched::Variant &variant) {
  std::string text = "  from " + formatSize(variant.min_bytes());
  if (variant.max_bytes() != ~uint64_t(0))
    text += " to below " + formatSize(variant.max_bytes());
  return text + ": " + sched::EnumNameProtocol(variant.protocol()) + ", " +
         plural(variant.trees()->size(), "tree") + ", " +
         plural(variant.channels()->size(), "channel");
}

} // namespace

void addSelfTest(const sched::Program &program, int root,
                 const Options &options, Plan &plan, Section &section) {
  for (uint32_t v = 0; v < program.variants()->size(); ++v) {
    const sched::Variant &variant = *program.variants()->Get(v);
    Case c = caseOf(program, root);
    c.variant = plan.numVariants++;
    plan.numChannels += variant.channels()->size();
    uint32_t most = 0;
    uint64_t bytes = 0; // 0: no call uses this variant
    for (blinkDataType_t type : options.types)
      for (blinkRedOp_t op : opsOf(c, type, options)) {
        c.type = type;
        c.op = op;
        if (!chooseCount(variant, v + 1 == program.variants()->size(), c))
          continue;
        if (bytes == 0 || c.carrying > most) {
          bytes = c.bytes();
          most = c.carrying;
        }
        section.cases.push_back(c);
        // All pairs of ranks, with one type: the first one.
        const bool isFirst = type == options.types.front();
        for (c.shift = 2;
             isFirst && isPairwise(c.collective) && c.shift < c.numRanks;
             ++c.shift)
          section.cases.push_back(c);
        c.shift = 1;
      }
    std::string sentence = describeVariant(variant);
    if (bytes == 0)
      sentence += "; no call of this type is of such a size, not tested";
    else if (most != variant.channels()->size())
      sentence += textOf("; ", variant.channels()->size() - most,
                         " get no data up to ", formatSize(bytes));
    section.schedules.push_back(sentence);
  }
}

} // namespace blink::perf
