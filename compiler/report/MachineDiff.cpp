//===- MachineDiff.cpp - what changed in a machine ------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/report/MachineDiff.h"

#include "compiler/report/Merge.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <tuple>

using namespace blink;

namespace {

/// A link with the names of its ends, which live as long as the file.
struct NamedLink {
  llvm::StringRef from, to;
  LinkKind kind;
  double bandwidth, latency;

  auto key() const { return std::tie(from, to, kind); }
  /// The sort key. Files that other programs wrote may have parallel links;
  /// they are matched in the order of their numbers.
  auto all() const { return std::tie(from, to, kind, bandwidth, latency); }
  bool operator==(const NamedLink &other) const { return all() == other.all(); }
  std::string title() const {
    return llvm::formatv("link {0} -> {1} ({2})", from, to, toString(kind));
  }
};

class MachineDiff : Comparison {
public:
  MachineDiff(const sched::Topology &before, const sched::Topology &after,
              std::vector<Finding> &findings)
      : Comparison(findings), before_(before), after_(after) {}

  bool run() {
    addChange(Aspect::machine, "machine", "name", before_.name()->str(),
              after_.name()->str());
    size_t named = findings_.size();
    bool sameNodes = diffNodes();
    bool sameLinks = diffLinks();
    diffFingerprint(findings_.size() == named && !(sameNodes && sameLinks));
    return sameNodes && sameLinks;
  }

private:
  static std::string describe(const sched::Node &node) {
    std::string text = toString(node.kind()).str();
    if (node.multicast())
      text += ", multicast";
    if (node.reduce())
      text += ", reduce";
    return text;
  }

  static std::vector<const sched::Node *> nodesOf(const sched::Topology &of) {
    return {of.nodes()->begin(), of.nodes()->end()};
  }

  bool diffNodes() {
    auto before = nodesOf(before_), after = nodesOf(after_);
    auto isSame = [](const sched::Node *a, const sched::Node *b) {
      return a->id()->string_view() == b->id()->string_view() &&
             describe(*a) == describe(*b);
    };
    if (std::equal(before.begin(), before.end(), after.begin(), after.end(),
                   isSame))
      return true;
    auto isLess = [](const sched::Node *a, const sched::Node *b) {
      return a->id()->string_view() < b->id()->string_view();
    };
    llvm::stable_sort(before, isLess);
    llvm::stable_sort(after, isLess);
    mergeSorted(
        before, after, isLess,
        [&](const sched::Node *a, const sched::Node *b) {
          std::string from = describe(*a), to = describe(*b);
          if (from != to)
            add(Aspect::node, title(*a), from + " -> " + to, from, to);
        },
        [&](const sched::Node *node) {
          add(Aspect::node, title(*node), "is gone", describe(*node), {});
        },
        [&](const sched::Node *node) {
          add(Aspect::node, title(*node), "is new", {}, describe(*node));
        });
    return false;
  }

  static std::string title(const sched::Node &node) {
    return "node " + node.id()->str() + " (" + toString(node.kind()).str() +
           ")";
  }

  static std::vector<NamedLink> linksOf(const sched::Topology &topology) {
    std::vector<NamedLink> links;
    links.reserve(topology.links()->size());
    auto nameOf = [&](uint32_t node) {
      return llvm::StringRef(topology.nodes()->Get(node)->id()->string_view());
    };
    for (const sched::Link *link : *topology.links())
      links.push_back({nameOf(link->from()), nameOf(link->to()), link->kind(),
                       link->bandwidth(), link->latency()});
    return links;
  }

  bool diffLinks() {
    std::vector<NamedLink> before = linksOf(before_), after = linksOf(after_);
    if (before == after)
      return true;
    auto isLessInAll = [](const NamedLink &a, const NamedLink &b) {
      return a.all() < b.all();
    };
    llvm::sort(before, isLessInAll);
    llvm::sort(after, isLessInAll);
    mergeSorted(
        before, after,
        [](const NamedLink &a, const NamedLink &b) {
          return a.key() < b.key();
        },
        [&](const NamedLink &a, const NamedLink &b) { diffLink(a, b); },
        [&](const NamedLink &link) {
          add(Aspect::link, link.title(),
              "of " + formatRate(link.bandwidth) + " is gone", link.bandwidth,
              {});
        },
        [&](const NamedLink &link) {
          add(Aspect::link, link.title(),
              "of " + formatRate(link.bandwidth) + " is new", {},
              link.bandwidth);
        });
    return false;
  }

  void diffLink(const NamedLink &before, const NamedLink &after) {
    if (before.bandwidth != after.bandwidth)
      add(Aspect::linkBandwidth, before.title(),
          formatChange("bandwidth", before.bandwidth, after.bandwidth, 3,
                       "GB/s"),
          before.bandwidth, after.bandwidth);
    if (before.latency != after.latency)
      add(Aspect::linkLatency, before.title(),
          formatChange("latency", before.latency, after.latency, 1, "us"),
          before.latency, after.latency);
  }

  /// The order of nodes and links is part of the fingerprint.
  void diffFingerprint(bool onlyOrder) {
    uint64_t from = before_.fingerprint(), to = after_.fingerprint();
    if (from == to && !onlyOrder)
      return;
    std::string words = formatHash(from) + " -> " + formatHash(to);
    if (onlyOrder)
      words += ": the same nodes and links in another order";
    add(Aspect::fingerprint, "machine", "fingerprint " + words,
        formatHash(from), formatHash(to));
  }

  const sched::Topology &before_;
  const sched::Topology &after_;
};

} // namespace

bool blink::diffMachines(const sched::Topology &before,
                         const sched::Topology &after,
                         std::vector<Finding> &findings) {
  return MachineDiff(before, after, findings).run();
}
