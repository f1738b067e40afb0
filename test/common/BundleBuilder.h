//===- BundleBuilder.h - bundles for tests ----------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A plain, mutable model of a bundle, a function that writes it, and a maker of
// right bundles from makeSchedule's pieces, with node maps that turn everything
// round. Shares no code with the compiler.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_COMMON_BUNDLEBUILDER_H
#define BLINK_TEST_COMMON_BUNDLEBUILDER_H

#include "schedules/BundleFile.h"
#include "test/common/ScheduleBuilder.h"

namespace blink::test {

using Numbers = std::vector<uint16_t>;

struct TestClass {
  uint16_t condition = 0;
  Numbers gpus;
  std::vector<std::vector<uint8_t>> pieces;
  Numbers roots;
  Numbers rootMaps;
};

struct TestEntry {
  Numbers gpus;
  uint32_t classNumber = 0;
  Numbers map;
};

/// The links between two nodes are gone. The first one of a bundle is empty.
struct TestCondition {
  std::string description; ///< "--without-link gpu0:gpu3"
  uint16_t nodeA = 0, nodeB = 0;
  std::string idA, idB;
};

/// As the file has it; addSurvivor makes right ones.
struct TestSurvivor {
  uint32_t condition = 0;
  uint32_t gpusBegin = 0, gpusCount = 0;
  uint32_t classNumber = 0;
  uint32_t mapBegin = 0;
};

struct TestBundle {
  uint32_t numNodes = 0;
  Numbers gpuNodes;
  std::vector<Collective> collectives;
  std::vector<TestCondition> conditions = {{}};
  std::vector<TestClass> classes;
  std::vector<TestEntry> entries;
  std::vector<TestSurvivor> survivors;
  Numbers survivorMaps; ///< behind those of entries
  uint64_t fingerprint = 0;
};

/// Adds the condition that the links between two nodes are gone, which are
/// called n<number>. Returns its number.
uint16_t addCondition(TestBundle &bundle, uint16_t nodeA, uint16_t nodeB);

/// Adds a survivor for the GPUs of entry number `entry`, with the entry's own
/// map, or another one. To be called when all entries are there, in the order
/// of conditions and entries.
void addSurvivor(TestBundle &bundle, uint16_t condition, size_t entry,
                 uint32_t classNumber, const Numbers *map = nullptr);

/// The bytes of the bundle, exactly as the model says, right or wrong.
std::vector<uint8_t> seal(const TestBundle &bundle);

/// The schedule of a job that has all GPUs of its machine, as one for `gpus` of
/// a machine of `numGpus` GPUs and a switch, which is node 0; a link joins any
/// two GPUs. Channels' paths follow.
TestSchedule onMachine(TestSchedule schedule, int numGpus, const Numbers &gpus);

struct BundleOptions {
  int numGpus = 6;
  std::vector<Collective> collectives; ///< ascending
  /// Each ascending; in the order of size and GPUs.
  std::vector<Numbers> allocations;
  BuildOptions layout; ///< of messages from 1 KiB; smaller ones have their own
  bool alike = true; ///< allocations of a size are one class; else each is one
  /// Of each GPU; empty: one has all. With servers nothing is turned round.
  std::vector<int> serverOf;
  int rails = 1; ///< NICs of a server (Cluster.h)
};

/// A right bundle. Node maps, serving roots and their maps are chosen at
/// random by `layout.seed`, as any carries the machine onto itself.
TestBundle makeBundle(const BundleOptions &options);

/// All GPUs of a machine, one by one, two by two and so on up to all: every
/// allocation, in a bundle's order.
std::vector<Numbers> allAllocations(int numGpus);

} // namespace blink::test

#endif // BLINK_TEST_COMMON_BUNDLEBUILDER_H
