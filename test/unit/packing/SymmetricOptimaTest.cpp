//===- SymmetricOptimaTest.cpp -----------------------------------*- C++
//-*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Random machines that are symmetric, packed modulo their symmetry and modulo
// nothing: the optimum is the same.
//
//===----------------------------------------------------------------------===//

#include "compiler/packing/PackTrees.h"
#include "compiler/packing/lp/ColumnGeneration.h"
#include "test/unit/topology/SymmetricMachines.h"

using namespace blink;
using namespace blink::test;

TEST_CASE("symmetry leaves every optimum as it is") {
  std::minstd_rand random(4);
  int modulo = 0;
  for (int trial = 0; trial < 16; ++trial) {
    const Topology topology = symmetricMachine(random, 4, 12);
    CAPTURE(trial);
    CAPTURE(topology.name);
    const RankTopology machine = rankTopologyOf(topology);
    for (Collective collective :
         {Collective::allgather, Collective::allreduce, Collective::broadcast,
          Collective::alltoall}) {
      CAPTURE(toString(collective).str());
      PackingProblem problem{&machine, collective,
                             int(random() % machine.numRanks())};
      const SolveWatcher none;
      const SymmetricProblem reduced = SymmetricProblem::reduce(problem);
      modulo += reduced.order() > 1;
      const PackedTrees with = valueOf(packTrees(problem));
      const PackedTrees without = valueOf(
          ColumnGeneration(SymmetricProblem::plain(problem), none).run());
      CHECK(!problem.verify(with.packing));
      CHECK(!problem.verify(without.packing));
      CHECK(with.packing.algbw ==
            doctest::Approx(without.packing.algbw).epsilon(1e-6));
      CHECK(with.certificate.bound ==
            doctest::Approx(without.certificate.bound).epsilon(1e-6));
    }
  }
  CHECK(modulo > 40); // of 48 that have no root
}
