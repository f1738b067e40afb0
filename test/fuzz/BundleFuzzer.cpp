//===- BundleFuzzer.cpp - any bytes as a bundle ---------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Covers the index and the pieces, look-ups in them, and the proof of all
// classes.
//
//===----------------------------------------------------------------------===//

#include "compiler/verify/BundleProof.h"
#include "schedules/BundleFile.h"
#include "test/fuzz/FuzzTarget.h"

using namespace blink;
using test::require;

/// Checks that every entry is found and that its ranks are those of the
/// program.
static void lookUp(const sched::BundleView &bundle) {
  for (const sched::Entry *entry : *bundle.index->entries()) {
    const uint16_t *begin = bundle.index->gpus()->data() + entry->gpus_begin();
    const std::vector<uint16_t> gpus(begin, begin + entry->gpus_count());
    const sched::Entry *found =
        sched::findEntry(bundle, sched::kWholeMachine, gpus);
    if (!found)
      continue;
    uint16_t root = 0;
    require(sched::programRanks(bundle, *found, gpus).size() == gpus.size(),
            "each GPU of a job has a rank");
    sched::programRanks(bundle, *found, gpus, uint16_t(gpus.size() - 1), root);
    require(root < gpus.size(), "a serving root is a rank");
  }
  sched::findCondition(bundle, "n0:n1");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::vector<uint8_t> bytes(data, data + size); // aligned
  sched::BundleView bundle;
  std::string error;
  const bool opened =
      sched::openBundle(bytes.data(), bytes.size(), bundle, error);
  require(opened == error.empty(), "an error if it is not a bundle");
  if (!opened)
    return 0;
  lookUp(bundle);
  const BundleProver prover(bundle);
  for (uint32_t one = 0; one < prover.numClasses(); ++one)
    prover.proveClass(one);
  return 0;
}
