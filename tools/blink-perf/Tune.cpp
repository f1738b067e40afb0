//===- Tune.cpp - corrects a schedule by measurements ---------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A schedule is measured as it is. Of a bundle, each member that the job uses
// is measured as a schedule of its own. The self-test runs on the whole result.
//
//===----------------------------------------------------------------------===//

#include "tools/blink-perf/Tune.h"

#include "schedules/BundlePieces.h"
#include "schedules/Text.h"
#include "tools/blink-perf/Across.h"
#include "tools/blink-perf/Job.h"
#include "tools/blink-perf/OutputFile.h"
#include "tools/blink-perf/SelfTest.h"
#include "tools/blink-perf/Table.h"
#include "tools/blink-perf/Tuner.h"

#include <algorithm>
#include <map>

namespace blink::perf {
namespace {

[[noreturn]] void refuseNone(const Options &options) {
  throw UsageError(options.files[0] + ": no " + options.collective +
                   " in it for this job");
}

//===-- Self-test ---------------------------------------------------------===//

/// Runs the cases of `section` and adds their results to the summary.
void selfTest(const Options &options, Plan &plan, const Section &section,
              TuneSummary &summary) {
  plan.cases = section.cases;
  Summary own;
  const auto report = [&](size_t index, const Result &result) {
    own.rows.push_back({plan.cases[index],
                        {result.seconds[0], result.wrong[0]},
                        {result.seconds[1], result.wrong[1]}});
  };
  own.error = runJob(options, plan, report).error;
  summary.channels += plan.numChannels;
  summary.carrying += own.carryingChannels();
  summary.wrong += own.wrong();
  summary.error = own.error;
  if (own.error.empty() && summary.wrong != 0)
    summary.error =
        textOf("the self-test of the corrected schedule found ", summary.wrong,
               " wrong elements: nothing is written; blink-perf "
               "--self-test on the file shows more");
}

Options selfTestOptions(Options options) {
  options.selfTest = true;
  options.iterations = 1;
  options.warmup = 0;
  return options;
}

//===-- Of a schedule -----------------------------------------------------===//

void selfTestFile(const Options &options, const std::vector<uint8_t> &tuned,
                  TuneSummary &summary) {
  std::string error;
  const sched::Schedule *file =
      sched::openAnySchedule(tuned.data(), tuned.size(), error);
  if (!file)
    throw std::runtime_error(error);
  for (const sched::Program *program : *file->programs()) {
    Plan plan;
    plan.numPrograms = int(sched::numPrograms(*program));
    openMemory(tuned, plan);
    Section section;
    addSelfTest(*program, program->root(), options, plan, section);
    selfTest(options, plan, section, summary);
    if (!summary.ok())
      return;
  }
}

std::vector<uint8_t> tuneFile(const Options &options, const Job &job,
                              const TuneWatcher &report, TuneSummary &summary) {
  const sched::Schedule &file = *job.files()[0]->schedule();
  std::vector<TunedProgram> programs;
  for (const sched::Program *program : *file.programs())
    programs.push_back(
        {describe(
             options.files[0], file.topology()->name()->str(),
             {program->allocation()->begin(), program->allocation()->end()},
             *program, program->root()),
         program->root(), options.devices,
         isWanted(*program, program->root(), options)});
  Tuner tuner(options, job.files()[0]->bytes(), std::move(programs));
  summary.error = tuner.run(report, summary.programs);
  if (summary.ok() && summary.programs.empty())
    refuseNone(options);
  summary.changed = tuner.changed();
  std::vector<uint8_t> tuned = tuner.tuned();
  if (summary.ok())
    selfTestFile(selfTestOptions(options), tuned, summary);
  return tuned;
}

//===-- Of a bundle -------------------------------------------------------===//

/// A member of a bundle that has some of the job's programs.
struct PlayedMember {
  uint32_t classNumber, collective;
  std::vector<JobProgram> programs;
};

/// By offset in the file.
using PlayedMembers = std::map<uint64_t, PlayedMember>;

PlayedMembers playedMembers(const sched::BundleView &bundle,
                            const std::vector<JobProgram> &programs) {
  PlayedMembers played;
  const auto &classes = *bundle.index->classes();
  for (uint32_t c = 0; c < classes.size(); ++c)
    for (uint32_t i = 0; i < classes.Get(c)->pieces()->size(); ++i) {
      const sched::Piece &member = *classes.Get(c)->pieces()->Get(i);
      const uint8_t *begin = bundle.pieces + member.offset();
      for (const JobProgram &one : programs) {
        const auto *at = reinterpret_cast<const uint8_t *>(one.choice.program);
        if (begin <= at && at < begin + member.size())
          played.emplace(member.offset(), PlayedMember{c, i, {}})
              .first->second.programs.push_back(one);
      }
    }
  return played;
}

/// Returns the name of `program` in the job: that of the first root it serves.
TunedProgram nameOf(const sched::Program &program, const PlayedMember &member,
                    const Options &options, const Job &job) {
  TunedProgram name{"", 0, {}, false};
  std::vector<int> alsoRoots;
  for (const JobProgram &one : member.programs) {
    if (one.choice.program != &program)
      continue;
    if (name.wanted) {
      alsoRoots.push_back(one.choice.root);
      continue;
    }
    name = {one.description, one.choice.root, options.devices, true};
    if (options.backend != blinkBackendCuda)
      continue;
    // The member runs with its own ranks, each on the GPU of the job's rank
    // that it stands for.
    Plan plan;
    plan.numPrograms = job.numPrograms();
    plan.gpus = job.gpus();
    const std::vector<int> devices = devicesOf(options, plan);
    name.devices.clear();
    for (uint32_t rank = 0; rank < devices.size(); ++rank)
      name.devices.push_back(devices[one.choice.jobRank(rank)]);
  }
  if (!alsoRoots.empty())
    name.description += "; the same for root " + joined(alsoRoots);
  return name;
}

/// Tests every program of the tuned collectives, for every root of the job.
void selfTestBundle(const Options &options, const Job &tuned,
                    const std::vector<uint8_t> &bytes, TuneSummary &summary) {
  Plan plan;
  plan.numPrograms = tuned.numPrograms();
  plan.gpus = tuned.gpus();
  openMemory(bytes, plan);
  Section section;
  std::string reason;
  for (const JobProgram &one : tuned.programs(0, reason))
    if (isWanted(*one.choice.program, one.choice.root, options))
      addSelfTest(*one.choice.program, one.choice.root, options, plan, section);
  selfTest(options, plan, section, summary);
}

/// Returns the allocations that use the class's members.
std::vector<std::vector<int>> allocationsOf(const sched::Bundle &index,
                                            uint32_t classNumber) {
  std::vector<std::vector<int>> sets;
  for (const sched::Entry *entry : *index.entries()) {
    const uint16_t *gpus = index.gpus()->data() + entry->gpus_begin();
    std::vector<int> set(gpus, gpus + entry->gpus_count());
    if (entry->class_number() == classNumber &&
        std::find(sets.begin(), sets.end(), set) == sets.end())
      sets.push_back(std::move(set));
  }
  return sets;
}

std::vector<uint8_t> tuneBundle(const Options &options, const Job &job,
                                const TuneWatcher &report,
                                TuneSummary &summary) {
  const sched::BundleView &bundle = job.files()[0]->bundle();
  std::string reason;
  std::vector<JobProgram> programs = job.programs(0, reason);
  programs.erase(std::remove_if(programs.begin(), programs.end(),
                                [&](const JobProgram &one) {
                                  return !isWanted(*one.choice.program,
                                                   one.choice.root, options);
                                }),
                 programs.end());
  if (programs.empty())
    refuseNone(options);
  const PlayedMembers played = playedMembers(bundle, programs);
  summary.gpus = job.gpus();
  summary.allocations =
      allocationsOf(*bundle.index, played.begin()->second.classNumber);
  std::vector<sched::NewPiece> members;
  for (const auto &[offset, member] : played) {
    const uint64_t size = bundle.index->classes()
                              ->Get(member.classNumber)
                              ->pieces()
                              ->Get(member.collective)
                              ->size();
    const uint8_t *begin = bundle.pieces + offset;
    std::vector<TunedProgram> names;
    for (const sched::Program *program : *sched::GetSchedule(begin)->programs())
      names.push_back(nameOf(*program, member, options, job));
    Tuner tuner(options, {begin, begin + size}, std::move(names));
    summary.error = tuner.run(report, summary.programs);
    if (!summary.ok())
      return {};
    if (tuner.changed())
      members.push_back({member.classNumber, member.collective, tuner.tuned()});
  }
  summary.changed = !members.empty();
  std::vector<uint8_t> tuned =
      sched::replacePieces(job.files()[0]->bytes(), members);
  selfTestBundle(selfTestOptions(options), Job(job, tuned), tuned, summary);
  return tuned;
}

} // namespace

TuneSummary tune(const Options &options, const TuneWatcher &report) {
  checkCollective(options.collective);
  checkWritable(options.output);
  const Job job(options);
  TuneSummary summary;
  const std::vector<uint8_t> tuned =
      job.gpus().empty() ? tuneFile(options, job, report, summary)
                         : tuneBundle(options, job, report, summary);
  summary.bytes.assign(tuned.begin(), tuned.end());
  return summary;
}

} // namespace blink::perf
