//===- Topology.h - the graph of a machine ----------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A machine as the compiler sees it: nodes (GPUs and transit nodes) and
// directed links with a bandwidth and a latency. Plain data; knows neither MLIR
// nor GLPK.
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

// The vocabulary of the file format is the compiler's too: one enum each.
using sched::Collective;
using sched::LinkKind;
using sched::NodeKind;

/// The words of .topo files, the command line and reports ("nvlink", "switch").
llvm::StringRef toString(NodeKind kind);
llvm::StringRef toString(LinkKind kind);
llvm::StringRef toString(Collective collective);
std::optional<NodeKind> parseNodeKind(llvm::StringRef word);
std::optional<LinkKind> parseLinkKind(llvm::StringRef word);
std::optional<Collective> parseCollective(llvm::StringRef word);

/// A set of link kinds, bit k for LinkKind k.
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

/// Reads "nvlink,pcie" or "all"; the error lists the words that exist.
llvm::Expected<LinkKindSet> parseLinkKinds(llvm::StringRef words);
/// The inverse: "all", or the words in enum order, comma separated.
std::string toString(LinkKindSet kinds);

struct Node {
  std::string id;
  NodeKind kind;
  bool multicast = false; ///< a switch that can copy (NVLS)
  bool reduce = false;    ///< a switch that can reduce (NVLS)
  /// Of a nic: its name in the operating system ("mlx5_0"); empty: unknown.
  std::string device = "";
};

/// A directed link. `from` and `to` index Topology::nodes.
struct Link {
  int from;
  int to;
  double bandwidth; ///< GB/s = 1e9 bytes/s
  double latency;   ///< microseconds
  LinkKind kind;
  /// Of how many parallel links this is the sum, as its file says: for words
  /// alone, nothing depends on it.
  int count = 1;
};

/// A machine type. Parallel links of one kind are one Link: their bandwidths
/// add up. The order of nodes and links is the file's and decides nothing but
/// ties.
struct Topology {
  std::string name;
  std::string description;
  std::vector<Node> nodes;
  std::vector<Link> links;

  /// Node indices of the GPUs: GPU k of the machine is nodes[gpus()[k]].
  std::vector<int> gpus() const;

  /// The index of each link by its ends and kind.
  std::map<std::tuple<int, int, LinkKind>, int> linkIndices() const;

  /// GB/s of all links from one node to another.
  double bandwidth(int from, int to) const;

  /// Holds for every topology the reader returns: ids are unique and not
  /// empty, link ends exist and differ, bandwidth and latency are within
  /// MachineLimits.h, only switches multicast or reduce, only nics have a
  /// device, no two links join the same nodes in the same direction with the
  /// same kind. The error names the entry.
  llvm::Error check() const;

  /// Hash (XXH3, 64 bits) of nodes and links, not of name and description, nor
  /// of what nics are called: two machines with the same fingerprint run the
  /// same schedules.
  uint64_t fingerprint() const;
};

} // namespace blink

#endif // BLINK_COMPILER_TOPOLOGY_TOPOLOGY_H
