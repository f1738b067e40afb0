//===- CompileFuzzer.cpp - small machines of any numbers, compiled --------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A small machine, and any options. Every collective must compile or be refused
// with an error text, which names an option if the machine alone is not the
// reason. What compiles must be correct and, when simulated, no faster than its
// links.
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/Pipeline.h"
#include "compiler/simulate/Simulate.h"
#include "compiler/target/ExportSchedule.h"
#include "compiler/target/FoldProgramFile.h"
#include "compiler/verify/Verify.h"
#include "schedules/ScheduleFile.h"
#include "test/fuzz/FuzzTarget.h"
#include "test/fuzz/SharedContext.h"
#include "test/fuzz/SmallMachine.h"

#include "mlir/IR/Diagnostics.h"

#include <algorithm>

using namespace blink;
using test::require;

namespace {

/// Returns options within the limits of the command line (CompileCommand.cpp);
/// after the end of the bytes the defaults.
CompileOptions optionsOf(test::Bytes &bytes, Topology &topology) {
  CompileOptions options;
  const unsigned flags = bytes.next();
  options.relays = flags & 1;
  options.phases = flags & 2;
  options.inSwitch = flags & 4;
  options.smallVariant = !(flags & 8);
  if (flags & 16)
    options.accumulate = sched::Accumulation::f32;
  const ReductionOrder orders[] = {
      ReductionOrder::none, ReductionOrder::invariant, ReductionOrder::rank};
  options.order = orders[(flags >> 5) % 3];
  const unsigned allocation = bytes.next();
  for (unsigned gpu = 0; gpu < topology.gpus().size(); ++gpu)
    if (allocation >> gpu & 1)
      options.gpus.push_back(int(gpu));
  if (allocation & 128)
    std::reverse(options.gpus.begin(), options.gpus.end());
  options.root = int(bytes.below(6));
  if (const unsigned kinds = bytes.next() & LinkKindSet::all().bits())
    options.links = LinkKindSet(uint8_t(kinds));
  const double slacks[] = {0.01, 0, 0.05, 0.99};
  options.slack = slacks[bytes.below(4)];
  options.maxTrees = bytes.below(8);
  if (const unsigned peers = bytes.below(6))
    options.maxPeers = peers - 1;
  const unsigned lanes[] = {16, 1, 2, 3, 64};
  options.maxLanes = lanes[bytes.below(5)];
  const unsigned chunks[] = {0, 16, 4080, 64 << 20};
  options.chunkBytes = chunks[bytes.below(4)];
  const unsigned abilities = bytes.next();
  for (Node &node : topology.nodes)
    if (node.kind == NodeKind::switch_) {
      node.multicast = abilities & 1;
      node.reduce = abilities & 2;
    }
  return options;
}

/// Returns whether `said` names an option that the user may change.
bool isRefusal(const std::string &said) {
  return said.find("--") != std::string::npos;
}

/// Simulates each variant with a message of its size.
void simulateAll(const sched::Schedule &file, const sched::Program &program) {
  for (const sched::Variant *variant : *program.variants()) {
    const FoldProgram folds = readProgram(file, program, *variant);
    const uint64_t bytes =
        std::clamp<uint64_t>(variant->max_bytes(), 2, 1 << 20) - 1;
    SimulationOptions options;
    options.mostRounds = 64;
    llvm::Expected<Simulation> simulation = simulate(
        folds, variant->protocol(), sched::chunksOf(*variant), bytes, options);
    if (!simulation) {
      std::fprintf(stderr, "%s\n",
                   llvm::toString(simulation.takeError()).c_str());
      require(false, "what was verified does not stop");
    }
    require(simulation->microseconds >= 0 &&
                simulation->microseconds < kInfinity,
            "a simulation takes some time");
    for (double use : simulation->linkUse)
      require(use <= 1 + 1e-6, "no link carries more than it can");
  }
}

} // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  test::Bytes bytes(data, size);
  const auto collective =
      Collective(bytes.below(unsigned(Collective::MAX) + 1));
  Topology topology = test::smallMachine(bytes);
  const bool isDefault = !bytes.left();
  CompileOptions options = optionsOf(bytes, topology);
  options.collective = collective;
  mlir::MLIRContext *context = test::sharedContext();
  std::string said;
  mlir::ScopedDiagnosticHandler handler(
      context, [&](auto &diagnostic) { said += diagnostic.str(); });
  auto module = buildRequest(context, topology, options);
  if (!module) {
    require(!llvm::toString(module.takeError()).empty(), "an error says why");
    return 0;
  }
  if (mlir::failed(
          runPipeline(**module, options, Phase::sched, {}, test::keepGoing))) {
    std::fprintf(stderr, "%s\n", said.c_str());
    require(!isDefault && isRefusal(said),
            "a request that was taken is compiled");
    return 0;
  }
  mlir::FailureOr<std::vector<uint8_t>> file = exportSchedule(**module);
  require(mlir::succeeded(file), "a compiled request is a file");
  std::string error;
  const sched::Schedule *schedule =
      sched::openSchedule(file->data(), file->size(), error);
  require(schedule, error.c_str());
  for (const sched::Program *program : *schedule->programs()) {
    for (const Check &check : verifyProgram(*schedule, *program).checks)
      require(check.ok, check.detail.c_str());
    simulateAll(*schedule, *program);
  }
  return 0;
}
