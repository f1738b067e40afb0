//===- ProgramLookup.cpp - the programs that are for a job ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/ProgramLookup.h"

#include "schedules/Hash.h"
#include "schedules/ScheduleFile.h"
#include "schedules/Text.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <set>

namespace blink::runtime {
namespace {

/// Returns a text such as "2-4,8".
std::string ranges(const std::set<uint32_t> &numbers) {
  std::string text;
  for (auto i = numbers.begin(); i != numbers.end();) {
    const uint32_t first = *i;
    uint32_t last = first;
    while (++i != numbers.end() && *i == last + 1)
      ++last;
    text += (text.empty() ? "" : ",") + std::to_string(first);
    if (last != first)
      text += "-" + std::to_string(last);
  }
  return text;
}

/// Returns a text such as "the bundle is for dgx1 with 8 GPUs and has 84
/// allocations, of 2-3 GPUs, 56 of them of 3".
std::string contents(const sched::Bundle &index, size_t askedSize) {
  std::set<uint32_t> sizes;
  size_t all = 0, alike = 0;
  for (const sched::Entry *entry : *index.entries()) {
    ++all;
    alike += entry->gpus_count() == askedSize;
    sizes.insert(entry->gpus_count());
  }
  return textOf("the bundle is for ", index.machine()->str(), " with ",
                index.gpu_nodes()->size(), " GPUs and has ", all,
                all == 1 ? " allocation" : " allocations", ", of ",
                ranges(sizes), " GPUs, ", alike, " of them of ", askedSize);
}

/// Returns a text such as "only for gpu0:gpu1, gpu0:gpu2, gpu0:gpu3, gpu0:gpu4
/// and 12 more".
std::string knownLinks(const sched::Bundle &index) {
  constexpr uint32_t kShown = 4;
  const auto &conditions = *index.conditions();
  if (conditions.size() == 1)
    return "or any other link";
  std::string text = "only for ";
  for (uint32_t c = 1; c < conditions.size() && c <= kShown; ++c)
    text += (c > 1 ? ", " : "") + conditions.Get(c)->id_a()->str() + ":" +
            conditions.Get(c)->id_b()->str();
  if (conditions.size() > kShown + 1)
    text += " and " + std::to_string(conditions.size() - 1 - kShown) + " more";
  return text;
}

/// Finds the two ends of a failed link in the topology of a single schedule.
/// The ids may contain colons, too.
bool findEnds(const sched::Topology &topology, const std::string &link,
              uint32_t (&ends)[2]) {
  const auto &nodes = *topology.nodes();
  const auto find = [&](const std::string &id) {
    uint32_t node = 0;
    while (node < nodes.size() && nodes.Get(node)->id()->str() != id)
      ++node;
    return node;
  };
  for (size_t colon = link.find(':'); colon != std::string::npos;
       colon = link.find(':', colon + 1)) {
    ends[0] = find(link.substr(0, colon));
    ends[1] = find(link.substr(colon + 1));
    if (ends[0] != nodes.size() && ends[1] != nodes.size())
      return true;
  }
  return false;
}

/// Returns true if no channel of a program goes over a link between the two
/// nodes, or over an image of one under the program's symmetry.
bool doesWithout(const sched::Topology &topology, const sched::Program &program,
                 const uint32_t (&ends)[2]) {
  sched::SymmetryGroup group; // openAnySchedule has made it before
  if (!sched::SymmetryGroup::create(topology, *program.allocation(),
                                    sched::renamingsOf(program), group)
           .empty())
    return false;
  std::set<uint32_t> used;
  for (const sched::Variant *variant : *program.variants())
    used.insert(variant->paths()->begin(), variant->paths()->end());
  for (uint32_t number : used)
    for (uint32_t element = 0; element < group.order(); ++element) {
      const sched::Link &link =
          *topology.links()->Get(group.mapLink(element, number));
      if ((link.from() == ends[0] && link.to() == ends[1]) ||
          (link.from() == ends[1] && link.to() == ends[0]))
        return false;
    }
  return true;
}

/// Looks up a single schedule's programs for one job. Calls `note` with the
/// reason for each that does not fit.
template <typename Note>
void lookUpSingle(const OpenFile &file, int numRanks, const JobGpus &job,
                  ProgramLookup &lookup, const Note &note) {
  const sched::Topology &topology = *file.schedule()->topology();
  uint32_t ends[2] = {};
  if (!job.withoutLink.empty() && !findEnds(topology, job.withoutLink, ends))
    return note({blinkInvalidArgument,
                 file.name() + ": failed link " + job.withoutLink + ": " +
                     topology.name()->str() +
                     " has no such two nodes; expected as gpu0:gpu3"});
  for (const sched::Program *program : *file.schedule()->programs()) {
    if (sched::numPrograms(*program) != uint32_t(numRanks))
      note(Status(blinkInvalidUsage, "the schedule is for ",
                  sched::numPrograms(*program), " ranks, the call has ",
                  numRanks, ": compile one for as many GPUs"));
    else if (!job.withoutLink.empty() && !doesWithout(topology, *program, ends))
      note({blinkInvalidUsage, file.name() + ": the schedule goes over link " +
                                   job.withoutLink +
                                   ", which has failed: compile one with "
                                   "--without-link " +
                                   job.withoutLink});
    else
      lookup.programs.push_back(
          {program, file.schedule(), program->root(), {}});
  }
}

/// Looks up one bundle's programs for one job.
class BundleLookup {
public:
  BundleLookup(const OpenFile &file, const JobGpus &job, ProgramLookup &lookup)
      : file_(file), bundle_(file.bundle()), index_(*file.bundle().index),
        gpus_(job.numbers.begin(), job.numbers.end()), link_(job.withoutLink),
        lookup_(lookup) {}

  /// Returns success without a program if the bundle has none for the job; then
  /// `reason` says why. Errors: a piece is damaged.
  Status run(const std::vector<int> &gpus, Status &reason) {
    reason = judgeGpus(gpus);
    if (!reason.ok())
      return {};
    // Entries name their GPUs in ascending order.
    std::vector<uint16_t> sorted = gpus_;
    std::sort(sorted.begin(), sorted.end());
    const std::optional<uint16_t> condition =
        link_.empty() ? sched::kWholeMachine
                      : sched::findCondition(bundle_, link_);
    if (!condition) {
      reason = {blinkInvalidUsage,
                file_.name() + ": nothing is in reserve for when link " +
                    link_ + " has failed, " + knownLinks(index_) +
                    "; compile one with `--survive links`"};
      return {};
    }
    entry_ = sched::findEntry(bundle_, *condition, sorted);
    if (!entry_ && sched::findEntry(bundle_, sched::kWholeMachine, sorted)) {
      reason = {blinkInvalidUsage,
                file_.name() + ": schedules for GPUs " + joined(gpus_) +
                    " of " + index_.machine()->str() +
                    ", but nothing in reserve for them for when link " + link_ +
                    " has failed; compile one with these `--allocations` and "
                    "`--survive links`"};
      return {};
    }
    if (!entry_ && bundle_.cluster) {
      const std::string shape = bundle_.cluster->shapeOf(gpus_);
      reason =
          Status(blinkInvalidUsage, file_.name(), ": no schedules for GPUs ",
                 joined(gpus_), ", which stand on the boxes of ",
                 index_.machine()->str(), " as ", shape,
                 "; `blinkc compile CLUSTER.topo --allocations ", shape,
                 " -o MORE.sched` makes them");
      return {};
    }
    if (!entry_) {
      reason = {blinkInvalidUsage, file_.name() + ": no schedules for GPUs " +
                                       joined(gpus_) + ": " +
                                       contents(index_, gpus_.size()) +
                                       "; compile one with them"};
      return {};
    }
    ranks_ = sched::programRanks(bundle_, *entry_, gpus_);
    for (uint32_t c = 0; c < index_.collectives()->size(); ++c) {
      Status status = openCollective(c);
      if (!status.ok())
        return status;
    }
    if (names_.empty())
      reason = {blinkInvalidUsage,
                file_.name() + ": no path joins GPUs " + joined(gpus_) +
                    " of " + index_.machine()->str() + without() +
                    " over the links that the bundle may use: give the job "
                    "other GPUs, or compile with more kinds of links"};
    else
      lookup_.notes += "; " + file_.name() + " has " + names_ + " for GPUs " +
                       joined(gpus_) + " of " + index_.machine()->str() +
                       without();
    return {};
  }

private:
  std::string without() const {
    return link_.empty() ? "" : " without link " + link_;
  }

  Status judgeGpus(const std::vector<int> &gpus) const {
    const std::string machine = index_.machine()->str();
    const int count = int(index_.gpu_nodes()->size());
    if (gpus.empty())
      return {blinkInvalidUsage,
              file_.name() + ": a bundle is searched by the GPUs of all ranks, "
                             "which a process does not know: set "
                             "blinkConfig_t::gpus"};
    std::vector<int> rankOf(count, -1);
    for (size_t rank = 0; rank < gpus.size(); ++rank) {
      if (gpus[rank] < 0 || gpus[rank] >= count)
        return Status(blinkInvalidArgument, file_.name(), ": rank ", rank,
                      " is for GPU ", gpus[rank], ", ", machine,
                      " has GPUs 0 to ", count - 1);
      if (int &other = rankOf[gpus[rank]]; other >= 0)
        return Status(blinkInvalidArgument, file_.name(), ": ranks ", other,
                      " and ", rank, " are both for GPU ", gpus[rank], " of ",
                      machine);
      else
        other = int(rank);
    }
    return {};
  }

  Status openCollective(uint32_t number) {
    const uint32_t classNumber = entry_->class_number();
    std::string error;
    const sched::Schedule *piece =
        sched::openPiece(bundle_, classNumber, number, error);
    if (!error.empty())
      return {blinkInvalidArgument, file_.name() + ": " + error};
    if (!piece)
      return {};
    const sched::Piece &place =
        *index_.classes()->Get(classNumber)->pieces()->Get(number);
    addToFingerprint(bundle_.pieces + place.offset() + place.size() - 8);
    const auto collective = index_.collectives()->Get(number);
    names_ += (names_.empty() ? "" : ", ") +
              std::string(sched::EnumNameCollective(collective));
    if (!sched::isRooted(collective)) {
      for (const sched::Program *program : *piece->programs())
        add(program, *piece, 0, ranks_);
      return {};
    }
    const size_t before = lookup_.programs.size();
    for (uint16_t root = 0; root < gpus_.size(); ++root) {
      uint16_t serving = 0;
      std::vector<uint16_t> ranks =
          sched::turnToRoot(bundle_, *entry_, ranks_, root, serving);
      for (const sched::Program *program : *piece->programs())
        if (program->root() == serving)
          add(program, *piece, root, ranks);
    }
    if (lookup_.programs.size() == before)
      return Status(blinkInvalidArgument, file_.name(), ": classes[",
                    classNumber, "].pieces[", number,
                    "]: no program with a root that serves others");
    return {};
  }

  /// `ranks`: for each rank of the job, the program's rank that it plays.
  void add(const sched::Program *program, const sched::Schedule &piece,
           uint16_t root, const std::vector<uint16_t> &ranks) {
    ResolvedProgram resolved{program, &piece, root,
                             std::vector<uint16_t>(ranks.size())};
    std::vector<uint16_t> same(ranks.size());
    std::iota(same.begin(), same.end(), uint16_t(0));
    for (uint16_t rank : same)
      resolved.jobRanks[ranks[rank]] = rank;
    if (resolved.jobRanks == same)
      resolved.jobRanks.clear();
    lookup_.programs.push_back(std::move(resolved));
  }

  void addToFingerprint(const uint8_t *checksum) {
    lookup_.fingerprint = sched::hash64(checksum, 8, lookup_.fingerprint);
  }

  const OpenFile &file_;
  const sched::BundleView &bundle_;
  const sched::Bundle &index_;
  const std::vector<uint16_t> gpus_;
  const std::string link_;
  ProgramLookup &lookup_;
  const sched::Entry *entry_ = nullptr;
  std::vector<uint16_t> ranks_; // of the bundle's programs, by rank of the job
  std::string names_;           // of the collectives that were taken
};

} // namespace

Status lookUpPrograms(const ScheduleSet &files, int numRanks,
                      const JobGpus &job, ProgramLookup &lookup) {
  const std::vector<int> &gpus = job.numbers;
  lookup.fingerprint = sched::hash64(&numRanks, sizeof(numRanks));
  Status reason; // why the first file does not fit
  auto note = [&](Status why) {
    if (reason.ok())
      reason = std::move(why);
  };
  for (const auto &file : files) {
    const uint64_t checksum = file->checksum();
    lookup.fingerprint =
        sched::hash64(&checksum, sizeof(checksum), lookup.fingerprint);
    if (!file->schedule()) {
      // With other GPUs the same pieces may be played in another order.
      lookup.fingerprint = sched::hash64(
          gpus.data(), gpus.size() * sizeof(gpus[0]), lookup.fingerprint);
      Status why;
      Status status = BundleLookup(*file, job, lookup).run(gpus, why);
      if (!status.ok())
        return status;
      if (!why.ok()) {
        lookup.notes += "; " + why.text;
        note(std::move(why));
      }
      continue;
    }
    lookUpSingle(*file, numRanks, job, lookup, note);
  }
  return lookup.programs.empty() ? reason : Status();
}

} // namespace blink::runtime
