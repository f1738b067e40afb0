//===- SharedLinks.cpp - what channels share ------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/SharedLinks.h"

#include "compiler/topology/symmetry/Symmetry.h"

#include <utility>

using namespace blink;

SharedLinks::SharedLinks(const FoldProgram &program, std::vector<double> of)
    : filled(filledLinks(program)), bandwidths(std::move(of)) {
  const Symmetry *symmetry = program.symmetry.get();
  for (size_t link = 0; link < program.links.size(); ++link)
    indices_.push_back(
        uint32_t(symmetry ? symmetry->linkClass(int(link)) : int(link)));
  if (!symmetry)
    return;
  for (std::vector<uint32_t> &links : filled)
    for (uint32_t &link : links)
      link = indices_[link];
  std::vector<double> sums(size_t(symmetry->numLinkClasses()), 0);
  for (size_t link = 0; link < bandwidths.size(); ++link)
    sums[indices_[link]] += bandwidths[link] / symmetry->order();
  bandwidths = std::move(sums);
}

std::vector<double>
SharedLinks::byLink(const std::vector<double> &values) const {
  std::vector<double> links;
  for (const uint32_t index : indices_)
    links.push_back(values[index]);
  return links;
}
