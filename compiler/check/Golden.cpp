//===- Golden.cpp - golden summary of a machine type ----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/check/Golden.h"

#include "compiler/report/PredictedTime.h"
#include "compiler/report/Summary.h"
#include "compiler/support/Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace blink;

bool GoldenProgram::operator==(const GoldenProgram &other) const {
  return collective == other.collective && root == other.root &&
         rate == other.rate && links == other.links && bound == other.bound &&
         depth == other.depth && trees == other.trees && times == other.times;
}

bool GoldenClass::operator==(const GoldenClass &other) const {
  return gpus == other.gpus && allocations == other.allocations &&
         programs == other.programs;
}

bool Golden::operator==(const Golden &other) const {
  return machine == other.machine && fingerprint == other.fingerprint &&
         allocations == other.allocations && compiler == other.compiler &&
         bundleBytes == other.bundleBytes && bundleHash == other.bundleHash &&
         classes == other.classes;
}

size_t Golden::numPrograms() const {
  size_t count = 0;
  for (const GoldenClass &one : classes)
    count += one.programs.size();
  return count;
}

uint64_t Golden::numAllocations() const {
  uint64_t count = 0;
  for (const GoldenClass &one : classes)
    count += one.allocations;
  return count;
}

double blink::roundGolden(double value) {
  if (!std::isfinite(value))
    return value;
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return std::strtod(text, nullptr);
}

static GoldenProgram summarizeProgram(const sched::Schedule &schedule,
                                      const sched::Program &program) {
  Summary summary = summarize(schedule, program);
  GoldenProgram golden;
  golden.collective = summary.collective;
  golden.root = summary.root;
  golden.rate = roundGolden(summary.algbw);
  golden.links = roundGolden(summary.links);
  golden.bound = roundGolden(summary.bound);
  golden.depth = summary.depth;
  golden.trees = summary.trees;
  std::vector<double> times = predictTimes(
      schedule, program, {kGoldenSizes.begin(), kGoldenSizes.end()});
  for (auto [rounded, time] : llvm::zip_equal(golden.times, times))
    rounded = roundGolden(time);
  return golden;
}

static std::string hashOf(llvm::ArrayRef<uint8_t> bytes) {
  return llvm::toHex(llvm::SHA256::hash(bytes), /*LowerCase=*/true);
}

llvm::Expected<Golden> blink::summarizeBundle(const sched::BundleView &bundle,
                                              llvm::ArrayRef<uint8_t> bytes,
                                              llvm::StringRef allocations) {
  const sched::Bundle &index = *bundle.index;
  Golden golden;
  golden.machine = index.machine()->str();
  golden.fingerprint = index.fingerprint();
  golden.allocations = allocations.str();
  golden.compiler = index.provenance()->compiler()->str();
  golden.bundleBytes = bytes.size();
  golden.bundleHash = hashOf(bytes);
  for (uint32_t number = 0; number < index.classes()->size(); ++number) {
    const sched::AllocationClass &one = *index.classes()->Get(number);
    GoldenClass &summary = golden.classes.emplace_back();
    summary.gpus.assign(one.gpus()->begin(), one.gpus()->end());
    for (uint32_t i = 0; i < index.collectives()->size(); ++i) {
      std::string error;
      const sched::Schedule *member =
          sched::openPiece(bundle, number, i, error);
      if (!error.empty())
        return makeError(error);
      if (!member) // no path joins its GPUs
        continue;
      for (const sched::Program *program : *member->programs())
        summary.programs.push_back(summarizeProgram(*member, *program));
    }
  }
  for (const sched::Entry *entry : *index.entries())
    ++golden.classes[entry->class_number()].allocations;
  return golden;
}
