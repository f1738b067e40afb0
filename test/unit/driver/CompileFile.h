//===- CompileFile.h - a schedule's file, in memory -------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_UNIT_DRIVER_COMPILEFILE_H
#define BLINK_TEST_UNIT_DRIVER_COMPILEFILE_H

#include "compiler/driver/Pipeline.h"
#include "compiler/target/ExportSchedule.h"
#include "test/unit/topology/TestTopology.h"

namespace blink::test {

/// Compiles one schedule and returns the file's bytes.
inline std::vector<uint8_t> compileFile(const Topology &topology,
                                        const CompileOptions &options) {
  std::unique_ptr<mlir::MLIRContext> context = createContext();
  auto module = valueOf(buildRequest(context.get(), topology, options));
  auto nothing = [](Phase, mlir::ModuleOp) { return llvm::Error::success(); };
  REQUIRE(
      succeeded(runPipeline(*module, options, Phase::sched, nullptr, nothing)));
  auto bytes = exportSchedule(*module);
  REQUIRE(succeeded(bytes));
  return *bytes;
}

} // namespace blink::test

#endif // BLINK_TEST_UNIT_DRIVER_COMPILEFILE_H
