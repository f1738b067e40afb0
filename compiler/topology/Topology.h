//===- Topology.h - the graph of a machine ----------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A machine as the compiler sees it: nodes (GPUs and transit nodes) and
// directed links with a bandwidth and a latency. Plain data, independent of
// MLIR and GLPK.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_TOPOLOGY_TOPOLOGY_H
#define BLINK_COMPILER_TOPOLOGY_TOPOLOGY_H

#include "schedules/Collectives.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace blink {

// The compiler uses the enums of the file format as its own.
using sched::Collective;
using sched::LinkKind;
using sched::NodeKind;

/// Convert between enum values and the words of .topo files, the command line
/// and reports ("nvlink", "switch").
llvm::StringRef toString(NodeKind kind);
llvm::StringRef toString(LinkKind kind);
llvm::StringRef toString(Collective collective);
std::optional<NodeKind> parseNodeKind(llvm::StringRef word);
std::optional<LinkKind> parseLinkKind(llvm::StringRef word);
std::optional<Collective> parseCollective(llvm::StringRef word);

/// A set of link kinds: bit k stands for LinkKind k.
class LinkKindSet {
public:
  constexpr explicit LinkKindSet(uint8_t bits = 0) : bits_(bits) {}
  static constexpr LinkKindSet all() {
    return LinkKindSet((1u << (static_cast<unsigned>(LinkKind::MAX) + 1)) - 1);
  }
  constexpr bool contains(LinkKind kind) const {
    return bits_ >> static_cast<unsigned>(kind) & 1;
  }
  constexpr void insert(LinkKind kind) {
    bits_ |= uint8_t(1u << static_cast<unsigned>(kind));
  }
  constexpr uint8_t bits() const { return bits_; }
  bool operator==(const LinkKindSet &other) const {
    return bits_ == other.bits_;
  }

private:
  uint8_t bits_;
};

/// Reads "nvlink,pcie" or "all". The error lists the words that exist.
llvm::Expected<LinkKindSet> parseLinkKinds(llvm::StringRef words);
/// Returns "all", or the words in enum order, separated by commas.
std::string toString(LinkKindSet kinds);
/// For errors about GPUs that no links of `kinds` connect: "kind nvlink,pcie",
/// or "any kind".
std::string describeKinds(LinkKindSet kinds);
/// What else to try with such an error: "allow more kinds of link or OTHERWISE"
/// if there are more.
std::string allowMoreKinds(LinkKindSet kinds, llvm::StringRef otherwise);

struct Node {
  std::string id;
  NodeKind kind;
  bool multicast = false; ///< A switch that can copy (NVLS).
  bool reduce = false;    ///< A switch that can reduce (NVLS).
  /// The name of a nic in the operating system ("mlx5_0"); empty if unknown.
  std::string device = "";
};

/// A directed link. `from` and `to` index Topology::nodes.
struct Link {
  int from;
  int to;
  double bandwidth; ///< GB/s = 1e9 bytes/s
  double latency;   ///< microseconds
  LinkKind kind;
  /// The number of parallel links that this one sums up, as its file says. It
  /// is used in texts only.
  int count = 1;
};

/// A machine type. Parallel links of one kind are one Link, with the sum of
/// their bandwidths. Nodes and links are in the order of the file, which
/// decides nothing but ties.
struct Topology {
  std::string name;
  std::string description;
  std::vector<Node> nodes;
  std::vector<Link> links;

  /// Returns the node indices of the GPUs: GPU k of the machine is
  /// nodes[gpus()[k]].
  std::vector<int> gpus() const;

  /// Returns the index of each link by its ends and kind.
  std::map<std::tuple<int, int, LinkKind>, int> linkIndices() const;

  /// Returns the GB/s of all links from one node to another together.
  double bandwidth(int from, int to) const;

  /// Checks the rules of a topology: ids are unique and not empty, link ends
  /// exist and differ, bandwidth and latency are within MachineLimits.h, only
  /// switches multicast or reduce, only nics have a device, no two links join
  /// the same nodes in the same direction with the same kind, and a network
  /// link has a nic at one end or joins two switches (wrongEndsOf). Every
  /// topology that the reader returns keeps them. The error names the entry.
  llvm::Error check() const;
  /// Returns what is wrong with the kinds of the nodes that `link` joins, both
  /// of which exist; empty if nothing is.
  std::string wrongEndsOf(const Link &link) const;

  /// Returns a hash (XXH3, 64 bits) of nodes and links. The name, the
  /// description and the devices of nics do not enter it: machines with the
  /// same fingerprint run the same schedules.
  uint64_t fingerprint() const;
};

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_TOPOLOGY_H
