//===- BundleBuilder.h - bundles for tests ----------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A plain, mutable model of a bundle, a function that writes it, and a function
// that makes correct bundles from makeSchedule's pieces, with node maps that
// permute the GPUs. Shares no code with the compiler.
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

/// A condition of a bundle: all links between two nodes have failed. The first
/// condition of a bundle is empty.
struct TestCondition {
  std::string description; ///< "--without-link gpu0:gpu3"
  uint16_t nodeA = 0, nodeB = 0;
  std::string idA, idB;
};

/// A survivor with the fields of the file; addSurvivor makes correct ones.
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
  Numbers survivorMaps; ///< follow the entries' maps in the file
  uint64_t fingerprint = 0;
};

/// Adds the condition that the links between two nodes have failed. The nodes
/// get the names n<number>. Returns the number of the condition.
uint16_t addCondition(TestBundle &bundle, uint16_t nodeA, uint16_t nodeB);

/// Adds a survivor for the GPUs of entry number `entry`, with `map`, or with
/// the entry's own map if `map` is null. Call it when all entries have been
/// added, in the order of conditions and, within a condition, of entries.
void addSurvivor(TestBundle &bundle, uint16_t condition, size_t entry,
                 uint32_t classNumber, const Numbers *map = nullptr);

/// Returns the bytes of the bundle, exactly as the model says, correct or not.
std::vector<uint8_t> seal(const TestBundle &bundle);

/// Turns the schedule of a job that has all GPUs of its machine into a schedule
/// for `gpus` of a machine with `numGpus` GPUs and a switch, which is node 0. A
/// link joins any two GPUs. The channels' paths are adapted.
TestSchedule onMachine(TestSchedule schedule, int numGpus, const Numbers &gpus);

struct BundleOptions {
  int numGpus = 6;
  std::vector<Collective> collectives; ///< ascending
  /// Each allocation in ascending order; allocations sorted by size, then by
  /// GPUs.
  std::vector<Numbers> allocations;
  BuildOptions layout; ///< from 1 KiB; smaller messages have another
  bool alike = true;   ///< allocations of one size share a class
  /// The server of each GPU; empty: one server has all. With servers, all node
  /// maps are the identity.
  std::vector<int> serverOf;
  int rails = 1; ///< NICs per server (Cluster.h)
};

/// Returns a correct bundle. Node maps, serving roots and their maps are chosen
/// at random from `layout.seed`: any permutation of the GPUs maps the machine
/// onto itself.
TestBundle makeBundle(const BundleOptions &options);

/// Returns every allocation of a machine with `numGpus` GPUs, in a bundle's
/// order: by size, then by GPUs.
std::vector<Numbers> allAllocations(int numGpus);

} // namespace blink::test

#endif // BLINK_TEST_COMMON_BUNDLEBUILDER_H
