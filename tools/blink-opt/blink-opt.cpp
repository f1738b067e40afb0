//===- blink-opt.cpp - run passes on collective IR ------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/passes/Passes.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  blink::registerCollectivePasses();
  mlir::DialectRegistry registry;
  registry.insert<blink::collective::CollectiveDialect>();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Blink's pass driver\n", registry));
}
