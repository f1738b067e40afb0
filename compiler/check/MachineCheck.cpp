//===- MachineCheck.cpp - checks against golden summaries -----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/check/MachineCheck.h"

#include "compiler/driver/InputFile.h"

#include "schedules/Collectives.h"
#include "llvm/ADT/STLExtras.h"

using namespace blink;

llvm::StringRef blink::toString(Verdict verdict) {
  static constexpr llvm::StringLiteral kWords[] = {
      "WRONG", "WORSE", "new", "better", "different", "good"};
  return kWords[static_cast<size_t>(verdict)];
}

size_t MachineResult::count(Severity severity) const {
  return countOf(findings, severity);
}

Verdict MachineResult::verdict() const {
  if (!problems.empty())
    return Verdict::wrong;
  if (isNew)
    return Verdict::isNew;
  if (findings.empty())
    return Verdict::good;
  static constexpr Verdict kVerdicts[] = {Verdict::worse, Verdict::better,
                                          Verdict::different};
  // The most important finding comes first.
  return kVerdicts[static_cast<size_t>(findings.front().severity)];
}

bool MachineResult::passes(bool update) const {
  return verdict() != Verdict::wrong && (update || verdict() != Verdict::worse);
}

/// Returns the program of `golden`, the summary of `bundle`, that serves a job
/// on `gpus` of the whole machine.
static const GoldenProgram *findServing(const sched::BundleView &bundle,
                                        const Golden &golden,
                                        Collective collective,
                                        std::optional<int> root,
                                        const std::vector<int> &gpus) {
  std::vector<uint16_t> numbers(gpus.begin(), gpus.end());
  const sched::Entry *entry = sched::findEntry(bundle, 0, numbers);
  if (!entry || (root && static_cast<size_t>(*root) >= gpus.size()))
    return nullptr;
  std::optional<int> servingRoot;
  if (root) {
    uint16_t serving = 0;
    sched::programRanks(bundle, *entry, numbers, static_cast<uint16_t>(*root),
                        serving);
    servingRoot = serving;
  }
  for (const GoldenProgram &program :
       golden.classes[entry->class_number()].programs)
    if (program.collective == collective && program.root == servingRoot)
      return &program;
  return nullptr;
}

MachineResult blink::checkMachine(const MachineFiles &files,
                                  const CheckTolerance &tolerance,
                                  unsigned jobs, BundleWatcher watcher) {
  MachineResult result;
  result.name = files.name;
  result.isNew = !files.golden;
  BundleOptions options;
  options.collectives.assign(sched::kJointCollectives.begin(),
                             sched::kJointCollectives.end());
  options.allocations = files.sets;
  options.jobs = jobs;
  auto fail = [&](llvm::Error error) {
    result.problems.push_back(llvm::toString(std::move(error)));
    return result;
  };
  auto bytes = compileBundle(files.topology, options, watcher);
  if (!bytes)
    return fail(bytes.takeError());
  InputFile made{files.topologyPath, InputKind::bundle, std::move(*bytes)};
  llvm::Expected<sched::BundleView> bundle = openBundle(made);
  if (!bundle)
    return fail(bundle.takeError());
  BundleProof proof = proveBundle(*bundle, jobs, watcher);
  result.problems = proof.problems;
  if (proof.numProblems > proof.problems.size())
    result.problems.push_back(
        "... and " + std::to_string(proof.numProblems - proof.problems.size()) +
        " more");
  if (proof.programs > 0) {
    result.worstRatio = proof.worstRatio;
    result.worst = proof.worst;
  }
  llvm::Expected<Golden> now =
      summarizeBundle(*bundle, made.bytes, files.allocations);
  if (!now)
    return fail(now.takeError());
  result.now = std::move(*now);
  if (files.golden)
    result.findings = diffGolden(
        *files.golden, result.now,
        [&](Collective collective, std::optional<int> root,
            const std::vector<int> &gpus) {
          return findServing(*bundle, result.now, collective, root, gpus);
        },
        tolerance);
  if (proof.ok())
    result.bundle = std::move(made.bytes);
  return result;
}
