//===- Recognize.cpp - recognition of machine types -----------------------===//
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

/// The most parts of a type that are compared: the DGX-1's eight GPUs have 70
/// parts of four, and GPUs at one switch are all alike.
constexpr int kMostParts = 500;

/// A type that a machine, or its peer links, match.
struct Candidate {
  Topology type;
  std::vector<int> gpus; // GPUs of the type that are compared
  bool whole;
  PartMatch match;
  MachinePart part; // the part of the type

  /// Returns true if this candidate says more about the machine.
  bool isBetterThan(const Candidate &other) const {
    auto rank = [](const Candidate &one) {
      return std::tuple(!one.whole, -one.part.numPairs(),
                        one.type.gpus().size(), one.match.thin.size(),
                        one.match.distance(), one.match.hostDistance());
    };
    return rank(*this) < rank(other);
  }
};

} // namespace

/// Rounds to six digits, which exceeds the accuracy of any known rate.
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
  for (int gpu = 0; gpu < numGpus; ++gpu)
    result.gpus.push_back(best.gpus[best.match.images[gpu]]);
  for (auto [kind, factor] : best.match.scale)
    if (std::abs(factor - 1) > 1e-6)
      result.scale[kind] = rounded(factor);
  return result;
}

namespace {

/// Compares a machine with types and their parts.
class Recognizer {
public:
  explicit Recognizer(const Topology &topology)
      : numGpus_(topology.gpus().size()),
        whole_(partOf(topology, /*peerLinksOnly=*/false)),
        peers_(partOf(topology, /*peerLinksOnly=*/true)) {}

  void compare(const Topology &type, std::vector<int> gpus,
               bool peerLinksOnly) {
    MachinePart part = partOf(type, peerLinksOnly, gpus);
    if (part.rates.empty())
      return;
    auto match = matchPart(part, peerLinksOnly ? peers_ : whole_);
    const bool isPart = gpus.size() < type.gpus().size();
    // With a missing link the machine could be a part of too many types.
    if (!match || (isPart && !match->thin.empty()))
      return;
    // If a type has peer links only, they are the whole machine.
    const bool isAll =
        !peerLinksOnly ||
        part.rates.size() == partOf(type, false, gpus).rates.size();
    Candidate candidate{type, std::move(gpus), isAll, std::move(*match),
                        std::move(part)};
    if (!best_ || candidate.isBetterThan(*best_))
      best_ = std::move(candidate);
  }

  /// Compares with all parts of a type with as many GPUs, each class of like
  /// parts once.
  void compareParts(const Topology &type) {
    const MachinePart peers = partOf(type, /*peerLinksOnly=*/true);
    const size_t all = type.gpus().size();
    if (peers_.rates.empty() || peers.rates.empty() || all <= numGpus_)
      return;
    std::map<int, std::vector<int>> groups;
    const std::vector<int> twins = findTwins(peers);
    for (size_t gpu = 0; gpu < all; ++gpu)
      groups[twins[gpu]].push_back(static_cast<int>(gpu));
    std::vector<std::vector<int>> alike;
    for (auto &[least, members] : groups)
      alike.push_back(std::move(members));
    int left = kMostParts;
    compareParts(type, alike, 0, {}, left);
  }

  std::optional<Recognition> result() const {
    if (!best_)
      return std::nullopt;
    return recognitionOf(*best_, static_cast<int>(numGpus_));
  }

private:
  void compareParts(const Topology &type,
                    llvm::ArrayRef<std::vector<int>> alike, size_t group,
                    std::vector<int> gpus, int &left) {
    if (gpus.size() == numGpus_) {
      if (--left < 0)
        return;
      llvm::sort(gpus);
      for (bool peerLinksOnly : {false, true})
        compare(type, gpus, peerLinksOnly);
      return;
    }
    if (group == alike.size() || left <= 0)
      return;
    const std::vector<int> &members = alike[group];
    const size_t most = std::min(members.size(), numGpus_ - gpus.size());
    for (size_t take = most + 1; take-- > 0;) {
      std::vector<int> more = gpus;
      more.insert(more.end(), members.begin(), members.begin() + take);
      compareParts(type, alike, group + 1, std::move(more), left);
    }
  }

  const size_t numGpus_;
  const MachinePart whole_, peers_;
  std::optional<Candidate> best_;
};

} // namespace

std::optional<Recognition> blink::recognize(const Topology &topology) {
  Recognizer recognizer(topology);
  const size_t numGpus = topology.gpus().size();
  std::vector<Topology> types;
  for (const MachineType &shipped : machineTypes())
    types.push_back(shipped.topology());
  for (const Topology &type : types)
    if (type.gpus().size() == numGpus)
      for (bool peerLinksOnly : {false, true})
        recognizer.compare(type, firstNumbers(numGpus), peerLinksOnly);
  std::optional<Recognition> whole = recognizer.result();
  if (whole || numGpus < 2)
    return whole;
  for (const Topology &type : types)
    recognizer.compareParts(type);
  return recognizer.result();
}

/// Returns "16 of 18 links", or GB/s if the links of the type are not counted.
static std::string howMuchOf(const Topology &type, int a, int b, double limit) {
  const double full = type.bandwidth(a, b);
  int count = 0;
  for (const Link &link : type.links)
    if (link.from == a && link.to == b)
      count += link.count;
  const double links = limit / full * count;
  if (count > 1 && std::abs(links - std::round(links)) < 1e-3)
    return llvm::formatv("{0} of {1} links", std::lround(links), count);
  return readable(limit) + " of " + readable(full) + " GB/s";
}

std::string Recognition::describe() const {
  const Topology machine = findMachineType(type)->topology();
  std::vector<std::string> differences, options;
  for (const LinkEdit &edit : edits) {
    auto [a, b] = nodesNamed(machine, edit.ends).front();
    differences.push_back(edit.limit ? edit.ends + " has " +
                                           howMuchOf(machine, a, b, *edit.limit)
                                     : "no link joins " + edit.ends);
    options.push_back(edit.place + " " + edit.toString());
  }
  const bool isPart = gpus.size() < machine.gpus().size();
  std::string text = whole ? "" : "links between GPUs as of ";
  text += isPart ? "GPUs " + joinNumbers(gpus) + " of " + type : type;
  if (!edits.empty())
    text += ", but " + llvm::join(differences, ", ") + ": " +
            llvm::join(options, " ");
  if (!whole)
    text += "; PCIe or CPUs differ";
  for (auto [kind, factor] : scale)
    text += "; " + toString(kind).str() + " at " +
            llvm::formatv("{0:F2}", factor).str() + " of its rate";
  if (!isPart && gpus != firstNumbers(gpus.size()))
    text += "; GPUs here are its GPUs " + joinNumbers(gpus);
  return text;
}
