//===- GoldenDiff.cpp - changes since a golden summary --------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/check/GoldenDiff.h"

#include "llvm/Support/FormatVariadic.h"

#include <set>

using namespace blink;

namespace {

class GoldenDiff : Comparison {
public:
  GoldenDiff(const Golden &before, const Golden &after, ServingProgram serving,
             const CheckTolerance &tolerance, std::vector<Finding> &findings)
      : Comparison(findings), before_(before), after_(after), serving_(serving),
        tolerance_(tolerance) {}

  void run() {
    diffMachine();
    for (const GoldenClass &one : before_.classes)
      for (const GoldenProgram &program : one.programs)
        diffProgram(keyOf(program, one), program);
    findNewPrograms();
    diffBundle();
    sortFindings(findings_);
  }

private:
  static ProgramKey keyOf(const GoldenProgram &program,
                          const GoldenClass &one) {
    return {program.collective, program.root, one.gpus, {}};
  }

  void diffMachine() {
    addChange(Aspect::machine, "machine", "name", before_.machine,
              after_.machine);
    addChange(Aspect::fingerprint, "machine",
              "nodes or links have changed: fingerprint",
              formatHash(before_.fingerprint), formatHash(after_.fingerprint));
  }

  void diffProgram(const ProgramKey &key, const GoldenProgram &before) {
    const GoldenProgram *after = serving_(key.collective, key.root, key.gpus);
    if (!after) {
      addOf(key, Severity::worse, Aspect::program, "program is gone");
      return;
    }
    diffNumber(key, Aspect::rate, "rate", before.rate, after->rate, 3, "GB/s",
               tolerance_.rate, /*moreIsBetter=*/true);
    if (before.links != after->links)
      addOf(key, Severity::different, Aspect::linksRate,
            formatChange("rate of the links", before.links, after->links, 3,
                         "GB/s"),
            before.links, after->links);
    if (before.bound != after->bound)
      addOf(key, Severity::different, Aspect::bound,
            formatChange("bound", before.bound, after->bound, 3, "GB/s"),
            before.bound, after->bound);
    for (size_t i = 0; i < kGoldenSizes.size(); ++i)
      diffNumber(key, Aspect::time,
                 "predicted time of " + formatBytes(kGoldenSizes[i]),
                 before.times[i], after->times[i], 1, "us", tolerance_.time,
                 /*moreIsBetter=*/false, kGoldenSizes[i]);
    diffCount(key, Aspect::depth, "depth", before.depth, after->depth);
    diffCount(key, Aspect::trees, "trees", before.trees, after->trees);
  }

  void diffNumber(const ProgramKey &key, Aspect aspect, llvm::StringRef what,
                  double before, double after, int decimals,
                  llvm::StringRef unit, double tolerance, bool moreIsBetter,
                  std::optional<uint64_t> bytes = std::nullopt) {
    if (before == after) // both may be infinite
      return;
    addOf(key, severityOf(before, after, moreIsBetter, tolerance), aspect,
          formatChange(what, before, after, decimals, unit), before, after);
    findings_.back().minBytes = bytes;
  }

  void diffCount(const ProgramKey &key, Aspect aspect, llvm::StringRef what,
                 int before, int after) {
    if (before != after)
      addOf(key, Severity::different, aspect, formatCounts(what, before, after),
            uint64_t(before), uint64_t(after));
  }

  void findNewPrograms() {
    std::set<ProgramKey> known;
    for (const GoldenClass &one : before_.classes)
      for (const GoldenProgram &program : one.programs)
        known.insert(keyOf(program, one));
    for (const GoldenClass &one : after_.classes)
      for (const GoldenProgram &program : one.programs)
        if (ProgramKey key = keyOf(program, one); known.count(key) == 0)
          addOf(key, Severity::different, Aspect::program, "program is new");
  }

  /// Compares the numbers of allocations, classes and programs, and the bytes.
  void diffBundle() {
    auto count = [&](const Golden &golden) {
      return llvm::formatv("{0} allocations in {1} classes with {2} programs",
                           golden.numAllocations(), golden.classes.size(),
                           golden.numPrograms())
          .str();
    };
    std::string from = count(before_), to = count(after_);
    addChange(Aspect::options, "bundle",
              "allocations asked for:", before_.allocations,
              after_.allocations);
    if (from != to)
      add(Aspect::classes, "bundle", from + " -> " + to, from, to);
    else if (!sameClasses())
      add(Aspect::classes, "bundle", "other classes of allocations");
    addChange(Aspect::compiler, "bundle", "compiler", before_.compiler,
              after_.compiler);
    if (before_.bundleHash != after_.bundleHash)
      add(Aspect::file, "bundle",
          llvm::formatv("{0} -> {1} bytes, SHA-256 {2}... -> {3}...",
                        before_.bundleBytes, after_.bundleBytes,
                        llvm::StringRef(before_.bundleHash).take_front(12),
                        llvm::StringRef(after_.bundleHash).take_front(12))
              .str(),
          before_.bundleHash, after_.bundleHash);
  }

  bool sameClasses() const {
    return llvm::equal(before_.classes, after_.classes,
                       [](const GoldenClass &a, const GoldenClass &b) {
                         return a.gpus == b.gpus &&
                                a.allocations == b.allocations;
                       });
  }

  const Golden &before_;
  const Golden &after_;
  ServingProgram serving_;
  const CheckTolerance &tolerance_;
};

} // namespace

std::vector<Finding> blink::diffGolden(const Golden &before,
                                       const Golden &after,
                                       ServingProgram serving,
                                       const CheckTolerance &tolerance) {
  std::vector<Finding> findings;
  GoldenDiff(before, after, serving, tolerance, findings).run();
  return findings;
}
