//===- OpenedBundle.h - compiled bundles to inspect or change ---*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_UNIT_DRIVER_OPENEDBUNDLE_H
#define BLINK_TEST_UNIT_DRIVER_OPENEDBUNDLE_H

#include "compiler/driver/Bundle.h"
#include "compiler/topology/AllocationList.h"
#include "schedules/BundleFile.h"
#include "test/unit/topology/TestTopology.h"

#include "doctest/doctest.h"

namespace blink::test {

/// A progress callback that does nothing.
inline void ignore(size_t, size_t) {}

/// Returns options for NVLink only; `allocations` as for --allocations.
inline BundleOptions optionsFor(const Topology &topology,
                                const char *allocations,
                                std::vector<sched::Collective> collectives) {
  BundleOptions options;
  options.each.links = LinkKindSet(1); // nvlink
  options.collectives = std::move(collectives);
  options.allocations = valueOf(
      parseAllocations(allocations, static_cast<int>(topology.gpus().size())));
  return options;
}

/// A bundle in writable memory.
struct OpenedBundle {
  OpenedBundle(const Topology &topology, const BundleOptions &options)
      : bytes(valueOf(compileBundle(topology, options, ignore))) {
    std::string error;
    const bool opened =
        sched::openBundle(bytes.data(), bytes.size(), bundle, error);
    REQUIRE_MESSAGE(opened, error);
  }

  std::vector<uint8_t> bytes;
  sched::BundleView bundle;
};

} // namespace blink::test

#endif // BLINK_TEST_UNIT_DRIVER_OPENEDBUNDLE_H
