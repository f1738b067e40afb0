//===- SymmetricTest.cpp - compiled schedules in symmetric form -----------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Schedules compiled for symmetric machines, pods and random ones, have a
// symmetric form, which expands to the same bytes. Their rates are as near to
// the bound as they should be.
//
//===----------------------------------------------------------------------===//

#include "compiler/generate/Generate.h"
#include "compiler/target/SymmetricSchedule.h"
#include "compiler/verify/Verify.h"
#include "schedules/ExpandSchedule.h"
#include "test/unit/driver/CompileFile.h"
#include "test/unit/topology/SymmetricMachines.h"

using namespace blink;
using namespace blink::test;

namespace {

/// Opens a schedule; an error of the loader ends the test.
const sched::Schedule &opened(const std::vector<uint8_t> &bytes) {
  std::string error;
  const sched::Schedule *file =
      sched::openAnySchedule(bytes.data(), bytes.size(), error);
  REQUIRE_MESSAGE(file, error);
  return *file;
}

/// Compiles, and checks that all but `inFull` variants are symmetric.
void checkSymmetric(const Topology &topology, Collective collective,
                    size_t inFull) {
  CompileOptions options;
  options.collective = collective;
  const std::vector<uint8_t> full = compileFile(topology, options);
  const sched::SymmetricFile form = valueOf(symmetricSchedule(opened(full)));
  CAPTURE(sched::EnumNameCollective(collective));
  CHECK(form.inFull.at(0).size() == inFull);
  CHECK(form.bytes.size() < full.size() / 2);
  std::string error;
  CHECK(sched::expandSchedule(opened(form.bytes), error) == full);
  CHECK(error == "");
  const sched::Program &program = *opened(full).programs()->Get(0);
  CHECK(verifyProgram(opened(full), program, {}).ok);
  CHECK(program.algbw() >= 0.989 * program.certificate()->bound());
}

/// Returns GPUs in a circle, each joined to those at the given distances.
Topology circulant(int numGpus, const std::vector<int> &distances,
                   std::mt19937 &random) {
  Topology topology;
  topology.name = "circulant";
  for (int gpu = 0; gpu < numGpus; ++gpu)
    topology.nodes.push_back({"gpu" + std::to_string(gpu), NodeKind::gpu});
  for (int distance : distances) {
    const double bandwidth = 10 * double(1 + random() % 4);
    for (int gpu = 0; gpu < numGpus; ++gpu) {
      const int other = (gpu + distance) % numGpus;
      topology.links.push_back({gpu, other, bandwidth, 1, LinkKind::nvlink});
      topology.links.push_back({other, gpu, bandwidth, 1, LinkKind::nvlink});
    }
  }
  return topology;
}

} // namespace

TEST_CASE("random symmetric machines") {
  std::mt19937 random(1);
  for (int numGpus : {17, 18, 24}) {
    const Topology topology =
        circulant(numGpus, {1, 2 + int(random() % 3)}, random);
    CAPTURE(numGpus);
    // The tree for small messages of an allreduce has a single root.
    checkSymmetric(topology, Collective::allreduce, 1);
    checkSymmetric(topology, Collective::allgather, 0);
    checkSymmetric(topology, Collective::reducescatter, 0);
    checkSymmetric(topology, Collective::alltoall, 0);
  }
}

TEST_CASE("files expand to what was compiled") {
  std::minstd_rand random(7);
  size_t variants = 0, inFull = 0;
  for (int trial = 0; trial < 4; ++trial) {
    const Topology topology = symmetricMachine(random, 17, 21);
    CAPTURE(trial);
    CAPTURE(topology.name);
    for (Collective collective :
         {Collective::allgather, Collective::allreduce, Collective::broadcast,
          Collective::alltoall}) {
      CAPTURE(std::string(sched::EnumNameCollective(collective)));
      CompileOptions options;
      options.collective = collective;
      const std::vector<uint8_t> full = compileFile(topology, options);
      const sched::SymmetricFile form =
          valueOf(symmetricSchedule(opened(full)));
      std::string error;
      CHECK(sched::expandSchedule(opened(form.bytes), error) == full);
      CHECK(error == "");
      const sched::Schedule &once = opened(form.bytes);
      CHECK(verifyProgram(once, *once.programs()->Get(0), {}).ok);
      variants += once.programs()->Get(0)->variants()->size();
      inFull += form.inFull.at(0).size();
    }
  }
  // Variants with a root are not symmetric: broadcasts, and trees for small
  // messages of an allreduce.
  CHECK(inFull < variants * 2 / 3);
}
