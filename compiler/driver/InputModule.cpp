//===- InputModule.cpp - a user's input as IR -----------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/InputModule.h"

#include "compiler/driver/IrText.h"
#include "compiler/driver/OutputFile.h"
#include "compiler/driver/UseTrees.h"
#include "compiler/support/Error.h"
#include "compiler/target/ImportSchedule.h"
#include "compiler/topology/TopologyReader.h"
#include "dialect/Collective.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace blink;

static llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
requestOf(mlir::MLIRContext *context, const InputFile &file,
          const CompileOptions &options) {
  llvm::Expected<Topology> topology = parseTopology(file.text(), file.path);
  if (!topology)
    return topology.takeError();
  auto module = buildRequest(context, *topology, options);
  if (!module)
    return makeError("{0}: {1}", file.path, llvm::toString(module.takeError()));
  if (options.trees)
    if (llvm::Error error = useTrees(**module, *options.trees))
      return error;
  return module;
}

/// Returns `module`, which may be null, if it has something to compile.
static llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
withProgram(mlir::OwningOpRef<mlir::ModuleOp> module, const InputFile &file) {
  if (module && module->getOps<collective::RequestOpInterface>().empty() &&
      module->getOps<collective::ForestOp>().empty() &&
      module->getOps<collective::ScheduleOp>().empty())
    return makeError("{0}: has no request, forest or schedule of the "
                     "collective dialect at its top level",
                     file.path);
  return module;
}

llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
blink::readModule(mlir::MLIRContext *context, const InputFile &file,
                  const CompileOptions &options, llvm::SourceMgr &sources) {
  switch (file.kind) {
  case InputKind::topology:
    return requestOf(context, file, options);
  case InputKind::ir:
    if (llvm::Error error = checkIrText(file.text(), file.path))
      return error;
    sources.AddNewSourceBuffer(
        llvm::MemoryBuffer::getMemBufferCopy(file.text(), file.path),
        llvm::SMLoc());
    return withProgram(mlir::parseSourceFile<mlir::ModuleOp>(sources, context),
                       file);
  case InputKind::schedule: {
    llvm::Expected<const sched::Schedule *> schedule = openSchedule(file);
    if (!schedule)
      return schedule.takeError();
    return importSchedule(context, **schedule);
  }
  case InputKind::bundle:
    return refuseBundle(file);
  }
  llvm_unreachable("enum outside its cases");
}

OpenChoices blink::openChoices(mlir::ModuleOp module) {
  OpenChoices open;
  open.trees = !module.getOps<collective::RequestOpInterface>().empty();
  open.lanes = open.trees || !module.getOps<collective::ForestOp>().empty() ||
               module
                   .walk([](collective::FoldOp fold) {
                     return mlir::isa<collective::LaneOp>(fold->getParentOp())
                                ? mlir::WalkResult::advance()
                                : mlir::WalkResult::interrupt();
                   })
                   .wasInterrupted();
  open.chunks =
      open.lanes || llvm::any_of(module.getOps<collective::ScheduleOp>(),
                                 [](collective::ScheduleOp schedule) {
                                   return !schedule.getChunkBytes();
                                 });
  return open;
}

llvm::Error blink::dumpPhase(llvm::StringRef directory, Phase phase,
                             mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream(text) << module << "\n";
  std::string path = llvm::formatv("{0}/{1}-{2}.mlir", directory,
                                   static_cast<int>(phase) + 1, toString(phase))
                         .str();
  return writeFile(path, text);
}
