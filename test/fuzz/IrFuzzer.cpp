//===- IrFuzzer.cpp - any bytes as IR of the `collective` dialect ---------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The bytes are parsed and verified. Valid IR is printed and parsed again, and
// lowered to folds and lanes. Requests are not solved: CompileFuzzer does that.
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/IrText.h"
#include "compiler/driver/Pipeline.h"
#include "compiler/target/ExportSchedule.h"
#include "dialect/Collective.h"
#include "test/fuzz/FuzzTarget.h"
#include "test/fuzz/SharedContext.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

using namespace blink;
using test::require;

using Module = mlir::OwningOpRef<mlir::ModuleOp>;

static std::string print(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream(text) << module;
  return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  mlir::MLIRContext *context = test::sharedContext();
  std::string said;
  mlir::ScopedDiagnosticHandler handler(
      context, [&](auto &diagnostic) { said += diagnostic.str(); });
  const auto parse = [&](llvm::StringRef text) {
    return mlir::parseSourceString<mlir::ModuleOp>(text, context);
  };
  if (llvm::Error error = checkIrText(test::textOfInput(data, size), "input")) {
    require(llvm::toString(std::move(error)).rfind("input:", 0) == 0,
            "an error names its place");
    return 0;
  }
  // MLIR's lexer needs a NUL behind the text, as after a file.
  const std::string text(test::textOfInput(data, size));
  Module module = parse(text);
  require(module || !said.empty(), "what is no IR has a diagnostic");
  if (!module)
    return 0;
  const std::string printed = print(*module);
  Module again = parse(printed);
  require(bool(again), "what was printed is read");
  require(print(*again) == printed, "what was printed is the same");
  if (!again->getOps<collective::RequestOpInterface>().empty())
    return 0;
  const bool lowered = mlir::succeeded(
      runPipeline(*again, {}, Phase::lanes, {}, test::keepGoing));
  require(lowered || !said.empty(), "what cannot be lowered has a diagnostic");
  return 0;
}
