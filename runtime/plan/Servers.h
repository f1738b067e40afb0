//===- Servers.h - which ranks share a server -------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A server is a connected piece of a topology without its nic nodes. Its ranks
// share memory, and channels to other servers leave by a NIC. A nic node that
// joins several servers stands for the network: then each node beside it has a
// NIC of its own there.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_PLAN_SERVERS_H
#define BLINK_RUNTIME_PLAN_SERVERS_H

#include "runtime/plan/ProgramLookup.h"

#include <map>
#include <vector>

namespace blink::runtime {

/// A NIC of one of the job's servers.
struct NicPlan {
  uint16_t server = 0;
  uint16_t number = 0; ///< number among the server's NICs
  std::string name;    ///< "s0nic1", or "box0.gpu3:rail0"
  std::string device;  ///< the operating system's name for it, or ""
};

/// The channel does not leave its server.
inline constexpr uint16_t kNoNic = 0xffff;

/// The NICs by which a channel leaves and arrives: indices in Servers::nics().
struct NicPair {
  uint16_t source = kNoNic, destination = kNoNic;

  bool operator==(const NicPair &other) const {
    return source == other.source && destination == other.destination;
  }
  bool operator!=(const NicPair &other) const { return !(*this == other); }
};

/// The servers and NICs of one topology.
class TopologyServers {
public:
  explicit TopologyServers(const sched::Topology &topology);

  /// Whether there is any nic node.
  bool any() const { return any_; }
  /// The piece of the topology that a node is in, which is no nic node.
  uint32_t pieceOf(uint32_t node) const { return pieces_[node]; }
  uint32_t gpuNode(uint32_t gpu) const { return gpuNodes_[gpu]; }

  struct Nic {
    uint32_t piece;
    uint16_t number; ///< number among the piece's NICs
    uint32_t node;   ///< the nic node
    std::string name;
  };
  /// Returns the NIC through which node `inside` reaches the nic node beside
  /// it, or null.
  const Nic *nic(uint32_t inside, uint32_t nicNode) const;
  const std::map<std::pair<uint32_t, uint32_t>, Nic> &nics() const {
    return nics_;
  }
  const sched::Topology &topology() const { return topology_; }

private:
  void findPieces();
  void findNics();

  const sched::Topology &topology_;
  bool any_ = false;
  std::vector<uint32_t> pieces_, gpuNodes_;
  std::map<std::pair<uint32_t, uint32_t>, Nic> nics_; ///< by inside, nic node
};

/// The servers of a job, numbered by their first ranks.
class Servers {
public:
  /// Finds the servers of the ranks. `hosts`: see JobGpus; if known, programs
  /// that place the ranks on servers differently are removed from `programs`.
  /// Errors: no program remains, or the remaining ones do not agree which ranks
  /// share a server.
  Status find(std::vector<ResolvedProgram> &programs, int numRanks,
              const std::vector<uint64_t> &hosts);

  int numServers() const { return numServers_; }
  const std::vector<uint16_t> &ofRanks() const { return ofRanks_; }
  const std::vector<NicPlan> &nics() const { return nics_; }

  /// Returns the NICs by which a channel of the program's variant goes, and
  /// adds new ones to nics().
  NicPair nicsOf(const ResolvedProgram &program, const sched::Variant &variant,
                 const sched::Channel &channel);

private:
  TopologyServers &known(const sched::Topology &topology);
  std::vector<uint16_t> serversOf(const ResolvedProgram &program, int numRanks);
  void noteAll(const std::vector<ResolvedProgram> &programs);
  uint16_t note(const TopologyServers &topology,
                const TopologyServers::Nic *nic, uint16_t server);

  int numServers_ = 1;
  std::vector<uint16_t> ofRanks_;
  std::vector<NicPlan> nics_;
  /// Indices in nics_.
  std::map<std::pair<uint16_t, uint16_t>, uint16_t> places_;
  std::map<const sched::Topology *, TopologyServers> topologies_;
};

} // namespace blink::runtime

#endif // BLINK_RUNTIME_PLAN_SERVERS_H
