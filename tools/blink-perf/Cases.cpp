//===- Cases.cpp - what is measured ---------------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blink-perf/Cases.h"

#include "schedules/BundleFile.h"
#include "tools/blink-perf/SelfTest.h"
#include "tools/replay/Samples.h"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace blink::perf {

using sched::Collective;

size_t Case::blockBytes() const { return count * sizeOf(type); }

bool Case::reduces() const {
  return collective == Collective::allreduce ||
         collective == Collective::reduce ||
         collective == Collective::reducescatter;
}

bool Case::sends(int rank) const {
  const bool rootOnly =
      collective == Collective::broadcast || collective == Collective::scatter;
  return rank < numRanks && (!rootOnly || rank == root);
}

bool Case::receives(int rank) const {
  const bool rootOnly =
      collective == Collective::reduce || collective == Collective::gather;
  return rank < numRanks && (!rootOnly || rank == root);
}

double Case::busFactor() const {
  const double n = numRanks;
  switch (collective) {
  case Collective::allreduce:
    return 2 * (n - 1) / n;
  case Collective::broadcast:
  case Collective::reduce:
    return 1;
  default:
    return (n - 1) / n;
  }
}

Case caseOf(const sched::Program &program) {
  Case one{};
  one.collective = program.collective();
  one.root = program.root();
  one.numRanks = int(program.allocation()->size());
  one.bound = program.certificate()->bound();
  return one;
}

std::vector<blinkRedOp_t> opsOf(const Case &c, const Options &options) {
  return c.reduces() ? options.ops : std::vector<blinkRedOp_t>{blinkSum};
}

std::vector<uint8_t> readFile(const std::string &path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string describe(const sched::Schedule &file, const sched::Program &program,
                     const std::string &path) {
  std::string text =
      path + ": " + sched::EnumNameCollective(program.collective());
  if (sched::isRooted(program.collective()))
    text += " from rank " + std::to_string(program.root());
  if (program.collective() == Collective::reduce ||
      program.collective() == Collective::gather)
    text.replace(text.rfind(" from "), 6, " to ");
  text += " on " + file.topology()->name()->str() + ", GPUs ";
  for (uint32_t i = 0; i < program.allocation()->size(); ++i)
    text += (i == 0 ? "" : ",") + std::to_string(program.allocation()->Get(i));
  if (const uint32_t relays = program.relays() ? program.relays()->size() : 0)
    text += ", " + std::to_string(relays) + " relays";
  char rate[80];
  std::snprintf(rate, sizeof rate, ", at most %.3f GB/s there",
                program.certificate()->bound());
  return text + rate;
}

namespace {

/// Sizes in bytes from the smallest to the largest.
std::vector<uint64_t> sizesOf(const Options &options) {
  constexpr size_t kMostSizes = 10000;
  std::vector<uint64_t> sizes;
  uint64_t size = options.minBytes;
  while (size <= options.maxBytes) {
    if (sizes.size() == kMostSizes)
      throw UsageError("--stepbytes: more than " + std::to_string(kMostSizes) +
                       " sizes");
    sizes.push_back(size);
    const uint64_t next = options.stepBytes ? size + options.stepBytes
                                            : size * options.stepFactor;
    if (next <= size) // 0 by a factor
      break;
    size = next;
  }
  return sizes;
}

/// The lines of one program: types, then operators, then sizes. A size without
/// an element for every block is left out.
void addCases(const sched::Program &program, const Options &options,
              std::vector<Case> &cases) {
  Case one = caseOf(program);
  for (blinkDataType_t type : options.types)
    for (blinkRedOp_t op : opsOf(one, options))
      for (uint64_t size : sizesOf(options)) {
        one.type = type;
        one.op = op;
        one.count = size / sizeOf(type) /
                    std::max(one.inputBlocks(), one.outputBlocks());
        if (one.count != 0)
          cases.push_back(one);
      }
}

bool isWanted(const sched::Program &program, int numPrograms,
              const Options &options) {
  return int(sched::numPrograms(program)) == numPrograms &&
         (options.collective.empty() ||
          options.collective ==
              sched::EnumNameCollective(program.collective())) &&
         (options.root == -1 || !sched::isRooted(program.collective()) ||
          options.root == program.root());
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

/// Adds a program to the section of its collective, unless one before it serves
/// the same calls.
void addProgram(const sched::Program &program, const std::string &description,
                const Options &options, Plan &plan) {
  const std::string name = sched::EnumNameCollective(program.collective());
  auto section = std::find_if(
      plan.sections.begin(), plan.sections.end(),
      [&](const Section &other) { return other.collective == name; });
  if (section == plan.sections.end())
    section = plan.sections.insert(section, Section{name, {}, {}});
  for (const Case &other : section->cases)
    if (other.root == program.root())
      return;
  section->schedules.push_back(description);
  if (options.selfTest)
    addSelfTest(program, options, plan, *section);
  else
    addCases(program, options, section->cases);
}

} // namespace

Plan makePlan(const Options &options) {
  checkCollective(options.collective);
  Plan plan;
  plan.numPrograms = options.ranks;
  bool found = false;
  for (const std::string &path : options.files) {
    open(path, plan); // says what is wrong with the file
    const std::vector<uint8_t> bytes = readFile(path);
    if (sched::isBundle(bytes.data(), bytes.size()))
      throw UsageError(path + ": a bundle; blink-perf measures schedules of "
                              "one allocation");
    std::string error;
    const sched::Schedule *file =
        sched::openSchedule(bytes.data(), bytes.size(), error);
    if (!file)
      throw UsageError(path + ": " + error);
    if (plan.numPrograms == 0)
      plan.numPrograms = int(sched::numPrograms(*file->programs()->Get(0)));
    for (const sched::Program *program : *file->programs()) {
      plan.numLeftOut += int(sched::numPrograms(*program)) != plan.numPrograms;
      if (isWanted(*program, plan.numPrograms, options)) {
        found = true;
        addProgram(*program, describe(*file, *program, path), options, plan);
      }
    }
  }
  if (!found)
    throw UsageError(
        "the files have no " +
        (options.collective.empty() ? "program" : options.collective) +
        " for " + std::to_string(plan.numPrograms) + " ranks" +
        (options.root == -1 ? ""
                            : " and root " + std::to_string(options.root)));
  // Sizes may be too small for a collective of many blocks.
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
    throw UsageError("--maxbytes: no size holds an element for every rank");
  return plan;
}

} // namespace blink::perf
