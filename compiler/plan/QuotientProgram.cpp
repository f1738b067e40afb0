//===- QuotientProgram.cpp - one rank for each orbit ----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/QuotientProgram.h"

#include "compiler/topology/symmetry/Symmetry.h"

using namespace blink;

FoldProgram blink::quotientOf(const FoldProgram &program) {
  const Symmetry &symmetry = *program.symmetry;
  FoldProgram quotient = program;
  quotient.symmetry = nullptr;
  quotient.links.assign(size_t(symmetry.numLinkClasses()), {0, 0});
  // A link of an orbit of `size` carries order / size images of each channel
  // over a link of the orbit.
  for (size_t link = 0; link < program.links.size(); ++link) {
    FoldProgram::Link &all = quotient.links[symmetry.linkClass(int(link))];
    all.bandwidth += program.links[link].bandwidth / symmetry.order();
    all.latency = program.links[link].latency;
  }
  for (uint32_t &link : quotient.paths)
    link = uint32_t(symmetry.linkClass(int(link)));
  for (FoldProgram::Tree &tree : quotient.trees)
    for (int *link : {&tree.switchUse.toSwitch, &tree.switchUse.fromSwitch})
      if (*link >= 0)
        *link = symmetry.linkClass(*link);
  return quotient;
}
