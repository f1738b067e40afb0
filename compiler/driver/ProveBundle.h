//===- ProveBundle.h - proving a bundle on several threads ------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_DRIVER_PROVEBUNDLE_H
#define BLINK_COMPILER_DRIVER_PROVEBUNDLE_H

#include "compiler/driver/Bundle.h"
#include "compiler/verify/BundleProof.h"

namespace blink {

/// Returns the results of BundleProver for all classes, added up in order of
/// the classes, so that they do not depend on the number of threads. `jobs` is
/// as in BundleOptions.
BundleProof proveBundle(const sched::BundleView &bundle, unsigned jobs,
                        BundleWatcher watcher,
                        const VerifyOptions &options = {});

} // namespace blink

#endif // BLINK_COMPILER_DRIVER_PROVEBUNDLE_H
