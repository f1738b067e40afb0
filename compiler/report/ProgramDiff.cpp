//===- ProgramDiff.cpp - what changed in a program's numbers --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/report/ProgramDiff.h"

#include "compiler/report/Merge.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace blink;

namespace {

bool isSame(double before, double after) {
  return before == after || // both may be infinite
         std::abs(after - before) <= kSameNumber * std::abs(before);
}

class ProgramDiff : Comparison {
public:
  ProgramDiff(const Summary &before, const Summary &after,
              const DiffOptions &options, std::vector<Finding> &findings)
      : Comparison(findings), before_(before), after_(after),
        options_(options) {}

  void run() {
    diffRate();
    diffBound();
    diffVariants();
  }

private:
  void diffRate() {
    double before = before_.algbw, after = after_.algbw;
    if (isSame(before, after))
      return;
    addOf(before_,
          severityOf(before, after, /*moreIsBetter=*/true, options_.tolerance),
          Aspect::rate, formatChange("rate", before, after, 3, "GB/s"), before,
          after);
  }

  /// A change of the bound is no merit of the schedule: it comes from another
  /// machine or other links.
  void diffBound() {
    if (isSame(before_.bound, after_.bound))
      return; // the change of the rate implies that of the percentage
    addOf(before_, Severity::different, Aspect::bound,
          formatChange("bound", before_.bound, after_.bound, 3, "GB/s"),
          before_.bound, after_.bound);
    double before = before_.percentOfBound(), after = after_.percentOfBound();
    if (!isSame(before, after))
      addOf(before_, Severity::different, Aspect::percentOfBound,
            llvm::formatv("rate {0:F2} -> {1:F2} % of the bound", before, after)
                .str(),
            before, after);
  }

  void diffVariants() {
    const auto &before = before_.variants, &after = after_.variants;
    if (before.size() == after.size()) {
      for (size_t i = 0; i < before.size(); ++i)
        diffVariant(before[i], after[i]);
      return;
    }
    using Variant = VariantSummary;
    mergeSorted(
        before, after,
        [](const Variant &a, const Variant &b) {
          return a.maxBytes < b.maxBytes;
        },
        [&](const Variant &a, const Variant &b) { diffVariant(a, b); },
        [&](const Variant &variant) { addGone(variant); },
        [&](const Variant &variant) { addNew(variant); });
  }

  void addGone(const VariantSummary &variant) {
    const VariantSummary &instead = after_.variantFor(variant.minBytes);
    addAt(variant, Severity::different, Aspect::variant,
          "variant is gone, these sizes take that for " + sizeRange(instead),
          sizeRange(variant), {});
    diffTimes(variant, variant, instead);
  }

  void addNew(const VariantSummary &variant) {
    const VariantSummary &instead = before_.variantFor(variant.minBytes);
    addAt(variant, Severity::different, Aspect::variant,
          "variant is new, these sizes took that for " + sizeRange(instead), {},
          sizeRange(variant));
    diffTimes(variant, instead, variant);
  }

  void diffVariant(const VariantSummary &before, const VariantSummary &after) {
    if (before.maxBytes != after.maxBytes)
      addAt(before, Severity::different, Aspect::sizes,
            "sizes end at " + formatBytes(before.maxBytes) + " -> " +
                formatBytes(after.maxBytes),
            before.maxBytes, after.maxBytes);
    if (before.protocol != after.protocol) {
      std::string from = sched::EnumNameProtocol(before.protocol);
      std::string to = sched::EnumNameProtocol(after.protocol);
      addAt(before, Severity::different, Aspect::protocol,
            "protocol " + from + " -> " + to, from, to);
    }
    diffTimes(before, before, after);
    diffCount(before, Aspect::depth, "depth", before.depth, after.depth);
    if (before.depth == after.depth) // a change of depth implies one of hops
      diffCount(before, Aspect::hops, "hops", before.hops, after.hops);
    diffCount(before, Aspect::lanes, "lanes a rank", before.lanes, after.lanes);
    diffCount(before, Aspect::channels, "channels", before.channels,
              after.channels);
    diffCount(before, Aspect::trees, "trees", before.trees, after.trees);
    diffCount(before, Aspect::steps, "steps", before.steps, after.steps);
    if (before.chunkBytes != after.chunkBytes)
      addAt(before, Severity::different, Aspect::chunkBytes,
            "chunks of " + formatBytes(before.chunkBytes) + " -> " +
                formatBytes(after.chunkBytes),
            uint64_t(before.chunkBytes), uint64_t(after.chunkBytes));
    if (before.leastChunkBytes != after.leastChunkBytes)
      addAt(before, Severity::different, Aspect::leastChunkBytes,
            "chunks of at least " + formatBytes(before.leastChunkBytes) +
                " -> " + formatBytes(after.leastChunkBytes),
            uint64_t(before.leastChunkBytes), uint64_t(after.leastChunkBytes));
    if (before.leastChunks != after.leastChunks)
      addAt(before, Severity::different, Aspect::leastChunks,
            "at least " + std::to_string(before.leastChunks) + " -> " +
                std::to_string(after.leastChunks) + " chunks",
            uint64_t(before.leastChunks), uint64_t(after.leastChunks));
  }

  void diffTimes(const VariantSummary &subject, const VariantSummary &before,
                 const VariantSummary &after) {
    diffTime(subject, Aspect::latency, "link latency end to end",
             before.latency, after.latency);
    diffTime(subject, Aspect::start, "latency with steps", before.start,
             after.start);
  }

  void diffTime(const VariantSummary &subject, Aspect aspect,
                llvm::StringRef what, double before, double after) {
    if (!isSame(before, after))
      addAt(subject, after < before ? Severity::better : Severity::worse,
            aspect, formatChange(what, before, after, 1, "us"), before, after);
  }

  /// Adds a change of a count. Fewer are better, except for trees and steps:
  /// what many of these cost shows in the other numbers.
  void diffCount(const VariantSummary &subject, Aspect aspect,
                 llvm::StringRef what, int before, int after) {
    if (before == after)
      return;
    Severity severity = after < before ? Severity::better : Severity::worse;
    if (aspect == Aspect::trees || aspect == Aspect::steps)
      severity = Severity::different;
    addAt(subject, severity, aspect, formatCounts(what, before, after),
          uint64_t(before), uint64_t(after));
  }

  /// Adds a finding about one variant; names its sizes if there are several.
  void addAt(const VariantSummary &variant, Severity severity, Aspect aspect,
             std::string words, FindingValue before, FindingValue after) {
    addOf(before_, severity, aspect, std::move(words), std::move(before),
          std::move(after));
    findings_.back().minBytes = variant.minBytes;
    if (before_.variants.size() > 1 || after_.variants.size() > 1)
      findings_.back().subject += ", " + sizeRange(variant);
  }

  const Summary &before_;
  const Summary &after_;
  const DiffOptions &options_;
};

} // namespace

void blink::diffSummaries(const Summary &before, const Summary &after,
                          const DiffOptions &options,
                          std::vector<Finding> &findings) {
  ProgramDiff(before, after, options, findings).run();
}
