//===- BundleProof.cpp - proof that a bundle is right ---------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/verify/BundleProof.h"

#include "compiler/verify/Renaming.h"
#include "compiler/verify/Repricing.h"
#include "schedules/ScheduleFile.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace blink {

using namespace verify;

namespace {

template <typename Numbers> std::string listOf(const Numbers &numbers) {
  std::string text;
  for (auto number : numbers)
    text += (text.empty() ? "" : ",") + std::to_string(number);
  return text;
}

std::string nameOf(const sched::Program &program) {
  std::string text = sched::EnumNameCollective(program.collective());
  if (sched::isRooted(program.collective()))
    text += " of root " + std::to_string(program.root());
  return text;
}

/// Returns true if the machines are equal in everything except name and
/// fingerprint, where `b` lacks its failed links.
bool sameMachine(const sched::Topology &a, const sched::Topology &b,
                 const FailedLinks &failed) {
  std::vector<const sched::Link *> left;
  for (const sched::Link *link : *b.links())
    if (!failed.contains(*link))
      left.push_back(link);
  return std::equal(a.nodes()->begin(), a.nodes()->end(), b.nodes()->begin(),
                    b.nodes()->end(),
                    [](const sched::Node *x, const sched::Node *y) {
                      return x->kind() == y->kind() &&
                             x->multicast() == y->multicast() &&
                             x->reduce() == y->reduce() &&
                             x->id()->str() == y->id()->str();
                    }) &&
         std::equal(a.links()->begin(), a.links()->end(), left.begin(),
                    left.end(), [](const sched::Link *x, const sched::Link *y) {
                      return x->from() == y->from() && x->to() == y->to() &&
                             x->kind() == y->kind() &&
                             x->bandwidth() == y->bandwidth() &&
                             x->latency() == y->latency();
                    });
}

/// Returns the links that have failed under a condition.
FailedLinks failedLinks(const sched::Bundle &index, uint16_t condition) {
  const sched::Condition &one = *index.conditions()->Get(condition);
  return {one.node_a(), one.node_b()};
}

/// Returns an empty string, or which condition does not name links of the
/// machine.
std::string judgeConditions(const sched::Bundle &index,
                            const sched::Topology &machine) {
  for (uint32_t c = 1; c < index.conditions()->size(); ++c) {
    const sched::Condition &one = *index.conditions()->Get(c);
    const std::string place =
        "condition " + std::to_string(c) + ", " + one.description()->str();
    const auto &nodes = *machine.nodes();
    if (one.node_b() >= nodes.size() ||
        nodes.Get(one.node_a())->id()->str() != one.id_a()->str() ||
        nodes.Get(one.node_b())->id()->str() != one.id_b()->str())
      return place + ": its nodes have other names in the machine";
    const FailedLinks failed = failedLinks(index, uint16_t(c));
    if (std::none_of(
            machine.links()->begin(), machine.links()->end(),
            [&](const sched::Link *link) { return failed.contains(*link); }))
      return place + ": the machine has no such link";
  }
  return "";
}

/// Returns 0 for each two ranks that a path without a GPU joins, otherwise
/// infinity.
std::vector<double> joined(const TopologyView &machine) {
  return cheapestPathPrices(machine,
                            std::vector<double>(machine.numLinks(), 0));
}

/// Returns true if every rank has a path of its own to every other, as a
/// sendrecv needs.
bool allJoined(const TopologyView &machine) {
  const uint32_t n = machine.numRanks();
  const std::vector<double> prices = joined(machine);
  for (size_t from = 0; from < n; ++from)
    for (size_t to = 0; to < n; ++to)
      if (from != to && std::isinf(prices[from * n + to]))
        return false;
  return true;
}

/// Returns true if every rank reaches every other.
bool allReach(const TopologyView &machine) {
  const uint32_t n = machine.numRanks();
  const std::vector<double> prices = joined(machine);
  for (bool backwards : {false, true}) {
    std::vector<uint32_t> reached = {0};
    std::vector<bool> met(n);
    met[0] = true;
    for (size_t at = 0; at < reached.size(); ++at)
      for (uint32_t next = 0; next < n; ++next) {
        const size_t from = backwards ? next : reached[at];
        const size_t to = backwards ? reached[at] : next;
        if (met[next] || std::isinf(prices[from * n + to]))
          continue;
        met[next] = true;
        reached.push_back(next);
      }
    if (reached.size() != n)
      return false;
  }
  return true;
}

} // namespace

void BundleProof::add(const BundleProof &other) {
  for (const std::string &problem : other.problems)
    if (problems.size() < kMostWorded)
      problems.push_back(problem);
  numProblems += other.numProblems;
  classes += other.classes;
  unreachableClasses += other.unreachableClasses;
  allocations += other.allocations;
  unreachableAllocations += other.unreachableAllocations;
  members += other.members;
  programs += other.programs;
  renamed += other.renamed;
  sumOfRatios += other.sumOfRatios;
  if (other.worstRatio < worstRatio) {
    worstRatio = other.worstRatio;
    worst = other.worst;
  }
}

BundleProver::BundleProver(const sched::BundleView &bundle,
                           const VerifyOptions &options)
    : bundle_(bundle), options_(options),
      servedBy_(bundle.index->classes()->size()) {
  const sched::Bundle &index = *bundle.index;
  for (const sched::Entry *entry : *index.entries())
    servedBy_[entry->class_number()].push_back({entry, sched::kWholeMachine});
  if (index.survivors())
    for (const sched::Survivor *survivor : *index.survivors())
      if (survivor->entry().class_number() != sched::kNoClass)
        servedBy_[survivor->entry().class_number()].push_back(
            {&survivor->entry(), uint16_t(survivor->condition())});
  // A member that cannot be opened is reported when its class is proved.
  std::string error;
  for (uint32_t c = 0; c < numClasses(); ++c) {
    const sched::AllocationClass &one = *index.classes()->Get(c);
    for (uint32_t i = 0; i < one.pieces()->size(); ++i)
      if (!machine_ && one.condition() == sched::kWholeMachine &&
          one.pieces()->Get(i)->size() > 0)
        machine_ = sched::openPiece(bundle, c, i, error);
  }
  if (machine_)
    wrongCondition_ = judgeConditions(index, *machine_->topology());
  if (index.cluster()) {
    cluster_.emplace(index);
    wrongCondition_ = cluster_->checkSymmetries().value_or("");
  }
}

/// Checks one class with all its allocations.
class BundleProver::ClassCheck {
public:
  ClassCheck(const BundleProver &prover, uint32_t classNumber)
      : prover_(prover), index_(*prover.bundle_.index),
        one_(*index_.classes()->Get(classNumber)), classNumber_(classNumber),
        served_(prover.servedBy_[classNumber]), machine_(prover.machine_) {}

  BundleProof run() {
    proof_.classes = 1;
    proof_.allocations = served_.size();
    if (classNumber_ == 0 && !prover_.wrongCondition_.empty())
      fail(prover_.wrongCondition_);
    if (!machine_)
      fail("class " + std::to_string(classNumber_) +
           ": no schedule for the whole machine opens, so that nothing is "
           "known of the machine");
    else if (std::all_of(one_.pieces()->begin(), one_.pieces()->end(),
                         [](const sched::Piece *member) {
                           return member->size() == 0;
                         }))
      checkUnreachable();
    else
      checkMembers();
    if (prover_.bundle_.cluster)
      checkRepresentative();
    return std::move(proof_);
  }

private:
  void fail(const std::string &text) {
    ++proof_.numProblems;
    if (proof_.problems.size() < BundleProof::kMostWorded)
      proof_.problems.push_back(text);
  }
  /// Returns " without gpu0:gpu3", or an empty string for the whole machine.
  std::string describe(uint16_t condition) const {
    if (condition == sched::kWholeMachine)
      return "";
    const sched::Condition &one = *index_.conditions()->Get(condition);
    return " without " + one.id_a()->str() + ":" + one.id_b()->str();
  }
  std::string placeOf(const Served &served) const {
    return "allocation " + listOf(gpusOf(*served.entry)) +
           describe(served.condition);
  }
  std::vector<uint16_t> gpusOf(const sched::Entry &entry) const {
    const uint16_t *gpus = index_.gpus()->data() + entry.gpus_begin();
    return {gpus, gpus + entry.gpus_count()};
  }
  std::vector<uint32_t> nodesOf(const std::vector<uint16_t> &gpus) const {
    std::vector<uint32_t> nodes;
    for (uint16_t gpu : gpus)
      nodes.push_back(index_.gpu_nodes()->Get(gpu));
    return nodes;
  }

  void checkUnreachable();
  void checkRepresentative();
  void checkMembers();
  /// Returns whether a collective needs paths of their own for all pairs of
  /// GPUs, without which a failure leaves no schedule of it.
  bool needsPairs(uint32_t number, uint16_t condition) const {
    return index_.collectives()->Get(number) == sched::Collective::sendrecv &&
           condition != sched::kWholeMachine;
  }
  void checkMember(uint32_t number);
  Failure checkMachine(const sched::Schedule &member, uint16_t condition) const;
  void checkPrograms(const std::string &place, const sched::Schedule &member);
  void checkServed(const Served &served, const Renaming &names,
                   const sched::Schedule &member);
  void checkFallBack(const Served &served, const std::set<uint32_t> &used);

  const BundleProver &prover_;
  const sched::Bundle &index_;
  const sched::AllocationClass &one_;
  const uint32_t classNumber_;
  const std::vector<Served> &served_;
  const sched::Schedule *const machine_;
  /// The links that programs use, for allocations of the whole machine.
  std::map<const sched::Entry *, std::set<uint32_t>> used_;
  BundleProof proof_;
};

/// On a cluster, checks that the search that finds the class of a job finds
/// this class.
void BundleProver::ClassCheck::checkRepresentative() {
  const sched::ClusterSymmetry &cluster = *prover_.bundle_.cluster;
  const std::vector<uint16_t> gpus(one_.gpus()->begin(), one_.gpus()->end());
  std::vector<uint16_t> found = cluster.representative(gpus);
  std::sort(found.begin(), found.end());
  if (found != gpus)
    fail("placement " + listOf(gpus) + " is represented by " + listOf(found));
  for (uint16_t rank = 0; rank < gpus.size(); ++rank)
    if (cluster.turnTo(gpus, rank).least != one_.roots()->Get(rank))
      fail("placement " + listOf(gpus) + ": rank " + std::to_string(rank) +
           " is served by another root than the class says");
}

void BundleProver::ClassCheck::checkUnreachable() {
  proof_.unreachableClasses = 1;
  proof_.unreachableAllocations = proof_.allocations;
  if (index_.cluster()) {
    // The whole cluster is looked at: other boxes add no paths.
    for (const Served &served : served_)
      if (allReach(TopologyView(*index_.cluster()->topology(),
                                machine_->link_kinds(),
                                nodesOf(gpusOf(*served.entry)))))
        fail(placeOf(served) +
             ": its GPUs reach each other, and there is no schedule");
    return;
  }
  if (Failure problem = checkMachine(*machine_, sched::kWholeMachine))
    return fail("class " + std::to_string(classNumber_) + ": " + *problem);
  for (const Served &served : served_) {
    const TopologyView machine(*machine_, nodesOf(gpusOf(*served.entry)),
                               failedLinks(index_, served.condition));
    // Collectives ascend: if the first is a sendrecv, there is no other.
    if (needsPairs(0, served.condition) ? allJoined(machine)
                                        : allReach(machine))
      fail(placeOf(served) +
           ": its GPUs reach each other, and there is no schedule");
  }
}

/// Checks that a member is for the machine that the index and the first member
/// name, under a condition.
Failure BundleProver::ClassCheck::checkMachine(const sched::Schedule &member,
                                               uint16_t condition) const {
  if (prover_.bundle_.cluster) {
    if (member.link_kinds() != machine_->link_kinds())
      return std::string("it is for other kinds of link than the first");
    return prover_.cluster_->checkPart(
        *member.topology(), prover_.bundle_.cluster->boxesOf(
                                {one_.gpus()->begin(), one_.gpus()->end()}));
  }
  std::vector<uint16_t> gpus;
  const auto &nodes = *member.topology()->nodes();
  for (uint32_t node = 0; node < nodes.size(); ++node)
    if (nodes.Get(node)->kind() == sched::NodeKind::gpu)
      gpus.push_back(static_cast<uint16_t>(node));
  if (!std::equal(gpus.begin(), gpus.end(), index_.gpu_nodes()->begin(),
                  index_.gpu_nodes()->end()))
    return std::string("its machine has its GPUs at other nodes than the index "
                       "says");
  if (member.link_kinds() != machine_->link_kinds() ||
      !sameMachine(*member.topology(), *machine_->topology(),
                   failedLinks(index_, condition)))
    return "it is for another machine, or other kinds of link, than the first" +
           describe(condition);
  return std::nullopt;
}

/// Checks that each root that serves others has a program, and that there are
/// no other programs.
static Failure checkRoots(const sched::AllocationClass &one,
                          const sched::Schedule &member) {
  std::vector<uint16_t> wanted = {0}, found;
  if (sched::isRooted(member.programs()->Get(0)->collective()))
    wanted.assign(one.roots()->begin(), one.roots()->end());
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  for (const sched::Program *program : *member.programs())
    found.push_back(program->root());
  std::sort(found.begin(), found.end());
  if (wanted != found)
    return "it has programs for the roots " + listOf(found) + "; expected " +
           listOf(wanted);
  return std::nullopt;
}

void BundleProver::ClassCheck::checkMembers() {
  for (uint32_t i = 0; i < one_.pieces()->size(); ++i)
    checkMember(i);
  if (prover_.bundle_.cluster)
    return;
  for (const Served &served : served_)
    if (served.condition == sched::kWholeMachine)
      checkFallBack(served, used_[served.entry]);
}

void BundleProver::ClassCheck::checkMember(uint32_t number) {
  const std::string place =
      "class " + std::to_string(classNumber_) + ", GPUs " +
      listOf(*one_.gpus()) + describe(one_.condition()) + ", " +
      sched::EnumNameCollective(index_.collectives()->Get(number));
  std::string error;
  const sched::Schedule *member =
      sched::openPiece(prover_.bundle_, classNumber_, number, error);
  if (!member && error.empty() && needsPairs(number, one_.condition()) &&
      !allJoined(TopologyView(
          *machine_, nodesOf({one_.gpus()->begin(), one_.gpus()->end()}),
          failedLinks(index_, one_.condition()))))
    return;
  if (!member)
    return fail(error.empty()
                    ? place + ": there is no schedule, but for another "
                              "collective there is"
                    : error);
  ++proof_.members;
  Failure problem = checkMachine(*member, one_.condition());
  if (!problem)
    problem = checkRoots(one_, *member);
  if (problem)
    return fail(place + ": " + *problem);
  checkPrograms(place, *member);
  if (prover_.bundle_.cluster) {
    // One program serves all roots that a symmetry exchanges.
    const bool rooted = sched::isRooted(index_.collectives()->Get(number));
    proof_.renamed += rooted ? one_.roots()->size() : 1;
    return;
  }
  std::optional<Renaming> names; // onto the machine of a condition
  for (size_t i = 0; i < served_.size(); ++i) {
    if (i == 0 || served_[i - 1].condition != served_[i].condition)
      names.emplace(*member, *machine_,
                    failedLinks(index_, served_[i].condition));
    checkServed(served_[i], *names, *member);
  }
}

void BundleProver::ClassCheck::checkPrograms(const std::string &place,
                                             const sched::Schedule &member) {
  for (const sched::Program *program : *member.programs()) {
    ++proof_.programs;
    const VerifyReport report =
        verifyProgram(member, *program, prover_.options_);
    for (const Check &check : report.checks)
      if (!check.ok)
        fail(place + ": " + nameOf(*program) + ": " + check.name + ": " +
             check.detail);
    const double ratio =
        std::isinf(report.bound) ? 1 : report.algbw / report.bound;
    proof_.sumOfRatios += ratio;
    if (ratio < proof_.worstRatio) {
      proof_.worstRatio = ratio;
      proof_.worst = nameOf(*program) + " on GPUs " + listOf(*one_.gpus()) +
                     describe(one_.condition());
    }
  }
}

/// Checks all programs of a member under all maps of an allocation.
void BundleProver::ClassCheck::checkServed(const Served &served,
                                           const Renaming &names,
                                           const sched::Schedule &member) {
  const uint32_t nodes = index_.num_nodes();
  const uint16_t *own = index_.node_maps()->data() + served.entry->map_begin();
  const std::vector<uint32_t> gpus = nodesOf(gpusOf(*served.entry));
  std::set<uint32_t> *const used =
      served.condition == sched::kWholeMachine ? &used_[served.entry] : nullptr;
  std::vector<uint16_t> map(own, own + nodes);
  for (const sched::Program *program : *member.programs()) {
    if (!sched::isRooted(program->collective())) {
      ++proof_.renamed;
      if (Failure problem = names.check(*program, map, gpus, used))
        fail(placeOf(served) + ": " + nameOf(*program) + ": " + *problem);
      continue;
    }
    for (uint32_t rank = 0; rank < one_.roots()->size(); ++rank) {
      if (one_.roots()->Get(rank) != program->root())
        continue;
      // The map first applies the symmetry that brings the root there.
      const uint16_t *symmetry =
          one_.root_maps()->data() + uint64_t(rank) * nodes;
      for (uint32_t node = 0; node < nodes; ++node)
        map[node] = symmetry[node] == sched::kUnmapped ? sched::kUnmapped
                                                       : own[symmetry[node]];
      ++proof_.renamed;
      if (Failure problem = names.check(*program, map, gpus, used))
        fail(placeOf(served) + ": " + nameOf(*program) + " for rank " +
             std::to_string(rank) + " of the representative: " + *problem);
    }
  }
}

/// The programs of the whole machine serve under conditions for which the
/// bundle has no others, so they must not use the links that have failed.
void BundleProver::ClassCheck::checkFallBack(const Served &served,
                                             const std::set<uint32_t> &used) {
  std::set<std::pair<uint32_t, uint32_t>> pairs;
  for (uint32_t link : used) {
    const sched::Link &one = *machine_->topology()->links()->Get(link);
    pairs.insert(std::minmax(one.from(), one.to()));
  }
  const std::vector<uint16_t> gpus = gpusOf(*served.entry);
  for (uint32_t c = 1; c < index_.conditions()->size(); ++c) {
    const sched::Condition &one = *index_.conditions()->Get(c);
    if (pairs.count({one.node_a(), one.node_b()}) &&
        sched::findEntry(prover_.bundle_, uint16_t(c), gpus) == served.entry)
      fail(placeOf(served) + ": there are no schedules" +
           describe(uint16_t(c)) +
           ", and those of the whole machine use these links");
  }
}

BundleProof BundleProver::proveClass(uint32_t classNumber) const {
  return ClassCheck(*this, classNumber).run();
}

} // namespace blink
