//===- Recognize.cpp - which machine type is this -------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/machines/Recognize.h"

#include "compiler/machines/MachineTypes.h"
#include "compiler/machines/PartMatch.h"
#include "compiler/support/Error.h"
#include "compiler/support/Numbers.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <cstdlib>

using namespace blink;

namespace {

/// A type that a machine, or its peer links, match.
struct Candidate {
  Topology type;
  bool whole;
  PartMatch match;
  MachinePart part; // of the type

  /// The one that says most of the machine comes first.
  bool isBetterThan(const Candidate &other) const {
    auto rank = [](const Candidate &one) {
      return std::tuple(!one.whole, -one.part.numPairs(), one.match.thin.size(),
                        one.match.distance(), one.match.hostDistance());
    };
    return rank(*this) < rank(other);
  }
};

} // namespace

/// To six digits, which is more than anybody knows of a rate.
static double rounded(double rate) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", rate);
  return std::strtod(text, nullptr);
}

static Recognition recognitionOf(const Candidate &best, int numGpus) {
  Recognition result;
  result.type = best.type.name;
  result.whole = best.whole;
  auto id = [&](int place) {
    return best.type.nodes[best.part.nodes[place]].id;
  };
  for (const ThinPair &pair : best.match.thin) {
    LinkEdit edit{id(pair.a) + ":" + id(pair.b), std::nullopt, ""};
    if (pair.left > 0) {
      edit.limit = rounded(pair.left);
      edit.place = "--limit-link";
    } else {
      edit.place = "--without-link";
    }
    result.edits.push_back(std::move(edit));
  }
  // GPUs are the first nodes of a part.
  result.gpus.assign(best.match.images.begin(),
                     best.match.images.begin() + numGpus);
  for (auto [kind, factor] : best.match.scale)
    if (std::abs(factor - 1) > 1e-6)
      result.scale[kind] = rounded(factor);
  return result;
}

std::optional<Recognition> blink::recognize(const Topology &topology) {
  const size_t numGpus = topology.gpus().size();
  const MachinePart whole = partOf(topology, /*peerLinksOnly=*/false);
  const MachinePart peers = partOf(topology, /*peerLinksOnly=*/true);
  std::optional<Candidate> best;
  for (const MachineType &shipped : machineTypes()) {
    Topology type = shipped.topology();
    if (type.gpus().size() != numGpus)
      continue;
    for (bool peerLinksOnly : {false, true}) {
      MachinePart part = partOf(type, peerLinksOnly);
      if (part.rates.empty())
        continue;
      auto match = matchPart(part, peerLinksOnly ? peers : whole);
      if (!match)
        continue;
      // Of a type that has peer links alone they are the whole.
      const bool isAll =
          !peerLinksOnly || part.rates.size() == type.links.size();
      Candidate candidate{type, isAll, std::move(*match), std::move(part)};
      if (!best || candidate.isBetterThan(*best))
        best = std::move(candidate);
    }
  }
  if (!best)
    return std::nullopt;
  return recognitionOf(*best, static_cast<int>(numGpus));
}

std::string Recognition::describe() const {
  const Topology machine = findMachineType(type)->topology();
  std::vector<std::string> differences, options;
  for (const LinkEdit &edit : edits) {
    auto [a, b] = nodesNamed(machine, edit.ends).front();
    differences.push_back(
        edit.limit ? edit.ends + " has " + readable(*edit.limit) + " of " +
                         readable(machine.bandwidth(a, b)) + " GB/s"
                   : "no link joins " + edit.ends);
    options.push_back(edit.place + " " + edit.toString());
  }
  std::string text = whole ? type : "links between GPUs as of " + type;
  if (!edits.empty())
    text += ", but " + llvm::join(differences, ", ") + ": " +
            llvm::join(options, " ");
  if (!whole)
    text += "; PCIe or CPUs differ";
  for (auto [kind, factor] : scale)
    text += "; " + toString(kind).str() + " at " +
            llvm::formatv("{0:F2}", factor).str() + " of its rate";
  if (gpus != firstNumbers(gpus.size()))
    text += "; GPUs here are its GPUs " + joinNumbers(gpus);
  return text;
}
