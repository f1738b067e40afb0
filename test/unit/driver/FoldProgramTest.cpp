//===- FoldProgramTest.cpp --------------------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A schedule is the same program wherever it is read from: the forest it was
// made of, its file, or the IR made from the file.
//
//===----------------------------------------------------------------------===//

#include "compiler/plan/AssignLanes.h"
#include "compiler/plan/DefaultLanes.h"
#include "compiler/plan/ExpandForest.h"
#include "compiler/report/PredictedTime.h"
#include "compiler/target/FoldProgramFile.h"
#include "compiler/target/FoldProgramIR.h"
#include "compiler/target/ForestIR.h"
#include "compiler/target/ImportSchedule.h"
#include "dialect/KnownAttrs.h"
#include "schedules/ScheduleFile.h"
#include "test/unit/driver/CompileFile.h"
#include "test/unit/topology/TestTopology.h"

#include <sstream>

using namespace blink;
using namespace blink::test;

namespace {

/// Returns everything a program says as text, with paths link by link.
std::string textOf(const FoldProgram &program) {
  std::ostringstream text;
  text.precision(17);
  for (const FoldProgram::Tree &tree : program.trees)
    text << "tree " << tree.root << ' ' << tree.block << ' ' << tree.numerator
         << '/' << tree.denominator << ' ' << tree.depth << ' ' << tree.share
         << '\n';
  for (const FoldProgram::Channel &channel : program.channels) {
    text << "channel " << channel.tree << ' ' << channel.source << ' '
         << channel.destination << ' ' << int(channel.kind) << ' '
         << channel.slots;
    for (uint32_t link : program.pathOf(channel))
      text << ' ' << link;
    text << '\n';
  }
  for (const FoldProgram::Rank &rank : program.ranks)
    for (const std::vector<size_t> &lane : rank.lanes) {
      text << "lane\n";
      for (size_t place : lane) {
        const FoldProgram::Fold &fold = rank.folds[place];
        text << "fold " << fold.tree << ' ' << fold.completes << ' '
             << fold.directMoves << ' ' << fold.slotMoves;
        for (auto list : {rank.sourcesOf(fold), rank.destinationsOf(fold)}) {
          text << " :";
          for (const FoldProgram::Operand &operand : list)
            text << ' ' << int(operand.kind) << '.' << operand.index;
        }
        text << '\n';
      }
    }
  return text.str();
}

/// Returns the last of `numVariants` forests that follow from the options, with
/// lanes. Later passes may have removed others.
FoldProgram plannedForest(const Topology &topology,
                          const CompileOptions &options, unsigned numVariants) {
  std::unique_ptr<mlir::MLIRContext> context = createContext();
  mlir::OwningOpRef<mlir::ModuleOp> module =
      valueOf(buildRequest(context.get(), topology, options));
  REQUIRE(mlir::succeeded(runPipeline(
      *module, options, Phase::forest, {},
      [](Phase, mlir::ModuleOp) { return llvm::Error::success(); })));
  mlir::SmallVector<mlir::Operation *> variants;
  for (mlir::Operation &op : *module->getBody())
    if (mlir::isa<collective::ForestOp, collective::ScheduleOp>(op))
      variants.push_back(&op);
  REQUIRE(variants.size() >= numVariants);
  auto large = mlir::cast<collective::ForestOp>(variants[numVariants - 1]);
  PeerLimits limits(*module);
  auto from = problemFromIR(large, limits);
  REQUIRE(mlir::succeeded(from));
  FoldProgram program = valueOf(
      expandForest((*from)->problem, readForest(large, **from).packing));
  assignLanes(program, Protocol::simple,
              options.maxLanes > 0
                  ? options.maxLanes
                  : defaultLimits((*from)->rankTopology).maxLanes,
              {}, large->hasAttr(collective::kMixedLanesAttr));
  return program;
}

void checkPrograms(const Topology &topology, const CompileOptions &options) {
  std::vector<uint8_t> bytes = compileFile(topology, options);
  std::string error;
  const sched::Schedule *file =
      sched::openSchedule(bytes.data(), bytes.size(), error);
  REQUIRE_MESSAGE(file, error);
  const sched::Program &program = *file->programs()->Get(0);
  std::unique_ptr<mlir::MLIRContext> context = createContext();
  mlir::OwningOpRef<mlir::ModuleOp> module =
      importSchedule(context.get(), *file);
  REQUIRE(module);
  auto schedules = module->getOps<collective::ScheduleOp>();
  auto schedule = schedules.begin();
  MessageTime predicted = {};
  for (const sched::Variant *variant : *program.variants()) {
    REQUIRE(schedule != schedules.end());
    mlir::FailureOr<FoldProgram> fromIR = readProgram(*schedule++);
    REQUIRE(mlir::succeeded(fromIR));
    CHECK(textOf(*fromIR) == textOf(readProgram(*file, program, *variant)));
    predicted = modelTime(*file, program, *variant);
  }
  CHECK(schedule == schedules.end());
  // Passes choose by the same numbers that reports predict.
  FoldProgram planned =
      plannedForest(topology, options, program.variants()->size());
  CHECK(planned.ranks.size() ==
        program.allocation()->size() +
            (program.relays() ? program.relays()->size() : 0));
  MessageTime chosen =
      cutShortMessages(timeOfLarge(planned, options.chunkBytes));
  for (uint64_t size : {uint64_t(0), kSmallReferenceBytes, kReferenceBytes})
    CHECK(chosen.at(size) ==
          doctest::Approx(predicted.at(size)).epsilon(1e-12));
}

} // namespace

TEST_CASE("a program is the same in its file, in IR and before") {
  for (const char *name : {"dgx1", "dgx-h100"})
    for (Collective collective :
         {Collective::allreduce, Collective::allgather, Collective::alltoall,
          Collective::reduce, Collective::gather})
      for (bool relays : {false, true}) {
        CAPTURE(name);
        CAPTURE(toString(collective).str());
        CAPTURE(relays);
        CompileOptions options;
        options.collective = collective;
        options.relays = relays;
        options.gpus = {0, 1, 6};
        checkPrograms(shippedTopology(name), options);
        options.maxLanes = 3;
        checkPrograms(shippedTopology(name), options);
      }
}
