//===- ProveBundle.cpp - proving a bundle on several threads --------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/ProveBundle.h"

using namespace blink;

BundleProof blink::proveBundle(const sched::BundleView &bundle, unsigned jobs,
                               BundleWatcher watcher,
                               const VerifyOptions &options) {
  BundleProver prover(bundle, options);
  std::vector<BundleProof> proofs(prover.numClasses());
  forEachInParallel(
      proofs.size(), jobs,
      [&](size_t number) {
        proofs[number] = prover.proveClass(static_cast<uint32_t>(number));
      },
      watcher);
  BundleProof all;
  for (const BundleProof &proof : proofs)
    all.add(proof);
  return all;
}
