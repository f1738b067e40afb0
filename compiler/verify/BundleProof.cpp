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
#include <optional>

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

/// Equal in everything but its name and its fingerprint.
bool sameMachine(const sched::Topology &a, const sched::Topology &b) {
  return std::equal(a.nodes()->begin(), a.nodes()->end(), b.nodes()->begin(),
                    b.nodes()->end(),
                    [](const sched::Node *x, const sched::Node *y) {
                      return x->kind() == y->kind() &&
                             x->multicast() == y->multicast() &&
                             x->reduce() == y->reduce() &&
                             x->id()->str() == y->id()->str();
                    }) &&
         std::equal(a.links()->begin(), a.links()->end(), b.links()->begin(),
                    b.links()->end(),
                    [](const sched::Link *x, const sched::Link *y) {
                      return x->from() == y->from() && x->to() == y->to() &&
                             x->kind() == y->kind() &&
                             x->bandwidth() == y->bandwidth() &&
                             x->latency() == y->latency();
                    });
}

/// Whether every rank reaches every other.
bool allReach(const Machine &machine) {
  const uint32_t n = machine.numRanks();
  const std::vector<double> prices =
      cheapestPathPrices(machine, std::vector<double>(machine.numLinks(), 0));
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
  pieces += other.pieces;
  programs += other.programs;
  renamed += other.renamed;
  sumOfRatios += other.sumOfRatios;
  if (other.worstRatio < worstRatio) {
    worstRatio = other.worstRatio;
    worst = other.worst;
  }
}

BundleProver::BundleProver(const sched::BundleView &bundle)
    : bundle_(bundle), entriesOf_(bundle.index->classes()->size()),
      machines_(bundle.index->conditions()->size(), nullptr) {
  const auto &entries = *bundle.index->entries();
  for (uint32_t e = 0; e < entries.size(); ++e)
    entriesOf_[entries.Get(e)->class_number()].push_back(e);
  // A piece that does not open is found when its class is proved.
  std::string error;
  for (uint32_t c = 0; c < numClasses(); ++c) {
    const sched::AllocationClass &one = *bundle.index->classes()->Get(c);
    for (uint32_t i = 0; i < one.pieces()->size(); ++i)
      if (!machines_[one.condition()] && one.pieces()->Get(i)->size() > 0)
        machines_[one.condition()] = sched::openPiece(bundle, c, i, error);
  }
}

/// One class with all its allocations.
class BundleProver::ClassWalk {
public:
  ClassWalk(const BundleProver &prover, uint32_t classNumber)
      : prover_(prover), index_(*prover.bundle_.index),
        one_(*index_.classes()->Get(classNumber)), classNumber_(classNumber),
        machine_(prover.machines_[one_.condition()]) {}

  BundleProof run() {
    proof_.classes = 1;
    proof_.allocations = prover_.entriesOf_[classNumber_].size();
    if (!machine_)
      fail("class " + std::to_string(classNumber_) +
           ": no schedule of its condition opens, so that nothing is known of "
           "the machine");
    else if (std::all_of(
                 one_.pieces()->begin(), one_.pieces()->end(),
                 [](const sched::Piece *piece) { return piece->size() == 0; }))
      checkUnreachable();
    else
      for (uint32_t i = 0; i < one_.pieces()->size(); ++i)
        checkPiece(i);
    return std::move(proof_);
  }

private:
  void fail(const std::string &text) {
    ++proof_.numProblems;
    if (proof_.problems.size() < BundleProof::kMostWorded)
      proof_.problems.push_back(text);
  }
  std::string placeOf(const sched::Entry &entry) const {
    const uint16_t *gpus = index_.gpus()->data() + entry.gpus_begin();
    return "allocation " +
           listOf(std::vector<uint16_t>(gpus, gpus + entry.gpus_count()));
  }
  /// The nodes of an allocation's GPUs.
  std::vector<uint32_t> nodesOf(const sched::Entry &entry) const {
    std::vector<uint32_t> nodes;
    for (uint32_t i = 0; i < entry.gpus_count(); ++i)
      nodes.push_back(
          index_.gpu_nodes()->Get(index_.gpus()->Get(entry.gpus_begin() + i)));
    return nodes;
  }
  const sched::Entry &entry(uint32_t number) const {
    return *index_.entries()->Get(number);
  }

  void checkUnreachable();
  void checkPiece(uint32_t number);
  Problem checkMachine(const sched::Schedule &piece) const;
  void checkPrograms(const std::string &place, const sched::Schedule &piece);
  void checkEntry(const sched::Entry &entry, const Renaming &names,
                  const sched::Schedule &piece);

  const BundleProver &prover_;
  const sched::Bundle &index_;
  const sched::AllocationClass &one_;
  const uint32_t classNumber_;
  const sched::Schedule *machine_;
  BundleProof proof_;
};

void BundleProver::ClassWalk::checkUnreachable() {
  proof_.unreachableClasses = 1;
  proof_.unreachableAllocations = proof_.allocations;
  if (Problem problem = checkMachine(*machine_))
    return fail("class " + std::to_string(classNumber_) + ": " + *problem);
  for (uint32_t number : prover_.entriesOf_[classNumber_])
    if (allReach(Machine(*machine_, nodesOf(entry(number)))))
      fail(placeOf(entry(number)) +
           ": its GPUs reach each other, and there is no schedule");
}

/// Whether the index and the piece speak of the same machine.
Problem
BundleProver::ClassWalk::checkMachine(const sched::Schedule &piece) const {
  std::vector<uint16_t> gpus;
  const auto &nodes = *piece.topology()->nodes();
  for (uint32_t node = 0; node < nodes.size(); ++node)
    if (nodes.Get(node)->kind() == sched::NodeKind::gpu)
      gpus.push_back(static_cast<uint16_t>(node));
  if (!std::equal(gpus.begin(), gpus.end(), index_.gpu_nodes()->begin(),
                  index_.gpu_nodes()->end()))
    return std::string("its machine has its GPUs at other nodes than the index "
                       "says");
  if (piece.link_kinds() != machine_->link_kinds() ||
      !sameMachine(*piece.topology(), *machine_->topology()))
    return std::string("it is for another machine, or other kinds of link, "
                       "than the first of its condition");
  return std::nullopt;
}

/// Each root that serves one has a program, and there are no others.
static Problem checkRoots(const sched::AllocationClass &one,
                          const sched::Schedule &piece) {
  std::vector<uint16_t> wanted = {0}, found;
  if (sched::isRooted(piece.programs()->Get(0)->collective()))
    wanted.assign(one.roots()->begin(), one.roots()->end());
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  for (const sched::Program *program : *piece.programs())
    found.push_back(program->root());
  std::sort(found.begin(), found.end());
  if (wanted != found)
    return "it has programs for the roots " + listOf(found) + "; expected " +
           listOf(wanted);
  return std::nullopt;
}

void BundleProver::ClassWalk::checkPiece(uint32_t number) {
  const std::string place =
      "class " + std::to_string(classNumber_) + ", GPUs " +
      listOf(*one_.gpus()) + ", " +
      sched::EnumNameCollective(index_.collectives()->Get(number));
  std::string error;
  const sched::Schedule *piece =
      sched::openPiece(prover_.bundle_, classNumber_, number, error);
  if (!piece)
    return fail(error.empty()
                    ? place + ": there is no schedule, but for another "
                              "collective there is"
                    : error);
  ++proof_.pieces;
  Problem problem = checkMachine(*piece);
  if (!problem)
    problem = checkRoots(one_, *piece);
  if (problem)
    return fail(place + ": " + *problem);
  checkPrograms(place, *piece);
  const Renaming names(*piece);
  for (uint32_t e : prover_.entriesOf_[classNumber_])
    checkEntry(entry(e), names, *piece);
}

void BundleProver::ClassWalk::checkPrograms(const std::string &place,
                                            const sched::Schedule &piece) {
  for (const sched::Program *program : *piece.programs()) {
    ++proof_.programs;
    const VerifyReport report = verifyProgram(piece, *program);
    for (const Check &check : report.checks)
      if (!check.ok)
        fail(place + ": " + nameOf(*program) + ": " + check.name + ": " +
             check.detail);
    const double ratio =
        std::isinf(report.bound) ? 1 : report.algbw / report.bound;
    proof_.sumOfRatios += ratio;
    if (ratio < proof_.worstRatio) {
      proof_.worstRatio = ratio;
      proof_.worst = nameOf(*program) + " on GPUs " + listOf(*one_.gpus());
    }
  }
}

/// All programs of a piece under all maps of an allocation.
void BundleProver::ClassWalk::checkEntry(const sched::Entry &entry,
                                         const Renaming &names,
                                         const sched::Schedule &piece) {
  const uint32_t nodes = index_.num_nodes();
  const uint16_t *own = index_.node_maps()->data() + entry.map_begin();
  const std::vector<uint32_t> gpus = nodesOf(entry);
  std::vector<uint16_t> map(own, own + nodes);
  for (const sched::Program *program : *piece.programs()) {
    if (!sched::isRooted(program->collective())) {
      ++proof_.renamed;
      if (Problem problem = names.check(*program, map, gpus))
        fail(placeOf(entry) + ": " + nameOf(*program) + ": " + *problem);
      continue;
    }
    for (uint32_t rank = 0; rank < one_.roots()->size(); ++rank) {
      if (one_.roots()->Get(rank) != program->root())
        continue;
      // First by way of the symmetry that brings the root there.
      const uint16_t *symmetry =
          one_.root_maps()->data() + uint64_t(rank) * nodes;
      for (uint32_t node = 0; node < nodes; ++node)
        map[node] = symmetry[node] == sched::kUnmapped ? sched::kUnmapped
                                                       : own[symmetry[node]];
      ++proof_.renamed;
      if (Problem problem = names.check(*program, map, gpus))
        fail(placeOf(entry) + ": " + nameOf(*program) + " for rank " +
             std::to_string(rank) + " of the representative: " + *problem);
    }
  }
}

BundleProof BundleProver::proveClass(uint32_t classNumber) const {
  return ClassWalk(*this, classNumber).run();
}

} // namespace blink
