//===- MachineFile.cpp - writes imported and probed topologies ------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blinkc/MachineFile.h"

#include "compiler/driver/OutputFile.h"
#include "compiler/machines/Recognize.h"
#include "compiler/packing/PackTrees.h"
#include "compiler/support/Numbers.h"
#include "compiler/topology/TopologyWriter.h"

#include "llvm/Support/raw_ostream.h"

using namespace blink;

llvm::Error blink::writeMachine(const ImportedMachine &machine,
                                const std::string &origin,
                                const std::string &where,
                                const std::string &path,
                                const Measurement *measurement) {
  for (const std::string &warning : machine.notes.warnings)
    llvm::errs() << warning << "\n";
  std::string comment = origin;
  if (std::optional<Recognition> type = recognize(machine.topology)) {
    llvm::errs() << where << ": note: this is " << type->describe() << "\n";
    comment += "\nThis is " + type->describe();
  }
  auto list = [&](const char *title, const std::vector<std::string> &notes) {
    comment += notes.empty() ? "" : std::string("\n") + title;
    for (const std::string &note : notes)
      comment += "\n  " + note;
  };
  list("What is not told was guessed:", machine.notes.guesses);
  list("What was odd:", machine.notes.warnings);
  if (measurement)
    list("Measured, GB/s:", measurement->lines);
  if (path.empty())
    return llvm::Error::success();
  return writeFile(path, writeTopology(measurement ? measurement->topology
                                                   : machine.topology,
                                       comment));
}

llvm::Expected<double> blink::allreduceBound(Topology machine) {
  const size_t numGpus = machine.gpus().size();
  llvm::Expected<RankTopology> whole = RankTopology::create(
      std::move(machine), firstNumbers(numGpus), LinkKindSet::all());
  if (!whole)
    return whole.takeError();
  llvm::Expected<PackingCertificate> certificate =
      boundRate({&*whole, Collective::allreduce, 0});
  if (!certificate)
    return certificate.takeError();
  return certificate->bound;
}
