//===- TreesFuzzer.cpp - any bytes as another program's trees -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Trees that can be read are used for a ring of four GPUs; those that fit it
// are lowered and verified.
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/UseTrees.h"
#include "compiler/generate/Generate.h"
#include "test/fuzz/FuzzTarget.h"
#include "test/fuzz/SharedContext.h"

#include "mlir/IR/Diagnostics.h"

using namespace blink;
using test::require;

static Topology ringOfFour() {
  llvm::Expected<Topology> ring = generateRing(4, {});
  require(bool(ring), "there is a ring of four");
  return std::move(*ring);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const Topology ring = ringOfFour();
  llvm::Expected<ForeignForest> forest =
      readForestColl(test::textOfInput(data, size), "input.xml");
  if (!forest) {
    const std::string error = llvm::toString(forest.takeError());
    require(error.rfind("input.xml:", 0) == 0, "an error names its place");
    return 0;
  }
  mlir::MLIRContext *context = test::sharedContext();
  std::string said;
  mlir::ScopedDiagnosticHandler handler(
      context, [&](auto &diagnostic) { said += diagnostic.str(); });
  CompileOptions options;
  auto module = buildRequest(context, ring, options);
  require(bool(module), "an allreduce of four can be asked for");
  if (llvm::Error error = useTrees(**module, *forest)) {
    llvm::consumeError(std::move(error));
    require(said.empty(), "an error is said once");
    return 0;
  }
  const bool lowered = mlir::succeeded(
      runPipeline(**module, options, Phase::lanes, {}, test::keepGoing));
  require(lowered, "trees that fit are lowered and proved");
  return 0;
}
