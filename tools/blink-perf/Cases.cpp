//===- Cases.cpp - the cases to measure -----------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blink-perf/Cases.h"

#include "tools/blink-perf/Job.h"
#include "tools/blink-perf/SelfTest.h"

#include <algorithm>

namespace blink::perf {

using sched::Collective;

double Case::busFactor() const {
  const double n = numRanks;
  switch (collective) {
  case Collective::allreduce:
    return 2 * (n - 1) / n;
  case Collective::broadcast:
  case Collective::reduce:
  case Collective::sendrecv:
    return 1;
  case Collective::allgather:
  case Collective::reducescatter:
  case Collective::gather:
  case Collective::scatter:
  case Collective::alltoall:
    break;
  }
  return (n - 1) / n;
}

Case caseOf(const sched::Program &program, int root) {
  Case one{};
  one.collective = program.collective();
  one.root = root;
  one.numRanks = int(program.allocation()->size());
  one.bound = program.certificate()->bound();
  return one;
}

std::vector<blinkRedOp_t> opsOf(const Case &c, blinkDataType_t type,
                                const Options &options) {
  if (!c.reduces())
    return {blinkSum};
  std::vector<blinkRedOp_t> ops = options.ops;
  if (ops.size() > 1)
    ops.erase(
        std::remove_if(ops.begin(), ops.end(),
                       [&](blinkRedOp_t op) { return !reducesBy(op, type); }),
        ops.end());
  return ops;
}

namespace {

/// Returns the sizes in bytes from the smallest to the largest.
std::vector<uint64_t> sizesOf(const Options &options) {
  constexpr size_t kMostSizes = 10000;
  std::vector<uint64_t> sizes;
  uint64_t size = options.minBytes;
  while (size <= options.maxBytes) {
    if (sizes.size() == kMostSizes)
      throw UsageError("--stepbytes: more than ", kMostSizes, " sizes");
    sizes.push_back(size);
    const uint64_t next = options.stepBytes ? size + options.stepBytes
                                            : size * options.stepFactor;
    if (next <= size) // 0 times a factor
      break;
    size = next;
  }
  return sizes;
}

/// Adds the cases of one program: by type, then operator, then size. Leaves out
/// sizes without an element for every block.
void addCases(const sched::Program &program, int root, const Options &options,
              std::vector<Case> &cases) {
  Case one = caseOf(program, root);
  for (blinkDataType_t type : options.types)
    for (blinkRedOp_t op : opsOf(one, type, options))
      for (uint64_t size : sizesOf(options)) {
        one.type = type;
        one.op = op;
        one.count = size / one.unit();
        if (one.count != 0)
          cases.push_back(one);
      }
}

void open(const std::string &path, Plan &plan) {
  blinkSchedule_t first = nullptr;
  const blinkResult_t result =
      plan.schedule ? blinkScheduleAdd(plan.schedule.get(), path.c_str())
                    : blinkScheduleOpen(path.c_str(), &first);
  if (result != blinkSuccess)
    throw UsageError(blinkGetLastError(nullptr));
  if (first)
    plan.schedule.reset(first);
}

/// Adds a program to the section of its collective, unless an earlier one
/// serves the same calls.
void addProgram(const JobProgram &one, const Options &options, Plan &plan) {
  const sched::Program &program = *one.choice.program;
  const int root = one.choice.root;
  const std::string name = sched::EnumNameCollective(program.collective());
  auto section = std::find_if(
      plan.sections.begin(), plan.sections.end(),
      [&](const Section &other) { return other.collective == name; });
  if (section == plan.sections.end())
    section = plan.sections.insert(section, Section{name, {}, {}});
  for (const Case &other : section->cases)
    if (other.root == root)
      return;
  section->schedules.push_back(one.description);
  if (options.selfTest)
    addSelfTest(program, root, options, plan, *section);
  else
    addCases(program, root, options, section->cases);
}

} // namespace

bool isWanted(const sched::Program &program, int root, const Options &options) {
  return (options.collective.empty() ||
          options.collective ==
              sched::EnumNameCollective(program.collective())) &&
         (options.root == -1 || !sched::isRooted(program.collective()) ||
          options.root == root);
}

void checkCollective(const std::string &name) {
  std::string expected;
  for (Collective collective : sched::EnumValuesCollective()) {
    if (name == sched::EnumNameCollective(collective) || name.empty())
      return;
    expected += std::string(expected.empty() ? "" : ", ") +
                sched::EnumNameCollective(collective);
  }
  throw UsageError("--collective: no '" + name + "'; expected " + expected);
}

Plan makePlan(const Options &options) {
  checkCollective(options.collective);
  Plan plan;
  for (const std::string &path : options.files)
    open(path, plan); // throws if the file is wrong
  const Job job(options);
  plan.numPrograms = job.numPrograms();
  plan.gpus = job.gpus();
  bool found = false;
  for (size_t number = 0; number < job.files().size(); ++number) {
    std::string reason;
    for (const JobProgram &one : job.programs(number, reason))
      if (isWanted(*one.choice.program, one.choice.root, options)) {
        found = true;
        addProgram(one, options, plan);
      }
    if (!reason.empty())
      plan.leftOut.push_back(reason);
    const sched::Schedule *file = job.files()[number]->schedule();
    for (uint32_t p = 0; file && p < file->programs()->size(); ++p)
      plan.numLeftOut += int(sched::numPrograms(*file->programs()->Get(p))) !=
                         plan.numPrograms;
  }
  if (!found)
    throw UsageError(
        "the files have no ",
        options.collective.empty() ? "program" : options.collective, " for ",
        plan.numPrograms, " ranks",
        options.root == -1 ? "" : " and root " + std::to_string(options.root));
  // Sizes may be too small for collectives with many blocks.
  plan.sections.erase(std::remove_if(plan.sections.begin(), plan.sections.end(),
                                     [](const Section &section) {
                                       return section.cases.empty();
                                     }),
                      plan.sections.end());
  for (const Section &section : plan.sections)
    plan.cases.insert(plan.cases.end(), section.cases.begin(),
                      section.cases.end());
  if (plan.cases.empty() && options.selfTest)
    throw UsageError("--self-test: no variant is for a size that holds an "
                     "element for every rank");
  if (plan.cases.empty())
    throw UsageError(options.minBytes == 0 && options.stepBytes == 0
                         ? "--minbytes: 0 times a factor is no other size"
                         : "--maxbytes: no size holds an element for every "
                           "rank");
  const bool traces = !options.trace.empty() || !options.costs.empty();
  if (traces &&
      std::all_of(plan.cases.begin(), plan.cases.end(),
                  [](const Case &c) { return isPairwise(c.collective); }))
    throw UsageError(options.trace.empty() ? "--calibrate" : "--trace",
                     ": messages are not traced; give a schedule of another "
                     "collective, too");
  return plan;
}

} // namespace blink::perf
