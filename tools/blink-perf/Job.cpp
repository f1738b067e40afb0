//===- Job.cpp - the programs that a job has ------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blink-perf/Job.h"

#include "schedules/ScheduleFile.h"
#include "schedules/Text.h"

#include <cstdio>
#include <numeric>

namespace blink::perf {

using sched::Collective;

namespace {

std::vector<int> allocationOf(const sched::Program &program) {
  return {program.allocation()->begin(), program.allocation()->end()};
}

int firstRanks(const runtime::OpenFile &file) {
  return file.schedule()
             ? int(sched::numPrograms(*file.schedule()->programs()->Get(0)))
             : int(file.bundle().index->gpu_nodes()->size());
}

} // namespace

Job::Job(const Options &options) {
  for (const std::string &path : options.files) {
    std::shared_ptr<const runtime::OpenFile> file;
    runtime::Status status = runtime::OpenFile::read(path.c_str(), file);
    if (!status.ok())
      throw UsageError(status.text);
    files_.push_back(std::move(file));
  }
  const int numGpus = int(options.gpus.size());
  if (numGpus != 0 && options.ranks != 0 && options.ranks != numGpus)
    throw UsageError("--ranks: ", options.ranks, " ranks, but --gpus has ",
                     numGpus, " GPUs");
  numPrograms_ = numGpus != 0         ? numGpus
                 : options.ranks != 0 ? options.ranks
                                      : firstRanks(*files_[0]);
  if (!runtime::hasBundle(files_)) {
    if (numGpus != 0)
      throw UsageError("--gpus: " + files_[0]->name() +
                       " is not a bundle: its ranks have the GPUs that it was "
                       "compiled for");
    return;
  }
  gpus_ = options.gpus;
  if (gpus_.empty() && options.devices.size() > 1)
    throw UsageError(
        "--devices: for a bundle, also give --gpus, with the GPUs as "
        "numbered in the topology");
  if (gpus_.empty()) {
    gpus_.resize(size_t(numPrograms_));
    std::iota(gpus_.begin(), gpus_.end(), 0);
  }
  runtime::ProgramLookup lookup;
  runtime::Status status =
      runtime::lookUpPrograms(files_, numPrograms_, {gpus_, ""}, lookup);
  if (!status.ok())
    throw UsageError(status.text + (numGpus == 0 ? "; --gpus says which GPUs "
                                                   "the job has"
                                                 : ""));
}

Job::Job(const Job &job, const std::vector<uint8_t> &bytes)
    : numPrograms_(job.numPrograms_), gpus_(job.gpus_) {
  std::shared_ptr<const runtime::OpenFile> file;
  runtime::Status status =
      runtime::OpenFile::copy(bytes.data(), bytes.size(), file);
  if (!status.ok())
    throw std::runtime_error(status.text);
  files_.push_back(std::move(file));
}

std::vector<JobProgram> Job::programs(size_t number,
                                      std::string &reason) const {
  const auto &file = files_[number];
  runtime::ProgramLookup lookup;
  runtime::Status status =
      runtime::lookUpPrograms({file}, numPrograms_, {gpus_, ""}, lookup);
  if (!status.ok() && !file->schedule())
    reason = status.text;
  std::vector<JobProgram> programs;
  for (runtime::ResolvedProgram &chosen : lookup.programs) {
    const sched::Program &program = *chosen.program;
    std::string text =
        file->schedule()
            ? describe(file->name(),
                       file->schedule()->topology()->name()->str(),
                       allocationOf(program), program, program.root())
            : describe(file->name(), file->bundle().index->machine()->str(),
                       gpus_, program, chosen.root);
    if (chosen.order() == sched::ReductionOrder::rank)
      text += ", sums in the order of ranks";
    else if (chosen.order() == sched::ReductionOrder::invariant)
      text += ", sums in one order";
    programs.push_back({std::move(chosen), std::move(text)});
  }
  return programs;
}

std::string describe(const std::string &path, const std::string &machine,
                     const std::vector<int> &gpus,
                     const sched::Program &program, int root) {
  std::string text =
      path + ": " + sched::EnumNameCollective(program.collective());
  if (sched::isRooted(program.collective()))
    text += " from rank " + std::to_string(root);
  if (onlyRootGets(program.collective()))
    text.replace(text.rfind(" from "), 6, " to ");
  text += " on " + machine + ", GPUs " + joined(gpus);
  if (const uint32_t relays = program.relays() ? program.relays()->size() : 0)
    text += ", " + std::to_string(relays) + " relays";
  char rate[80];
  std::snprintf(rate, sizeof rate, ", at most %.3f GB/s there",
                program.certificate()->bound());
  return text + rate;
}

} // namespace blink::perf
