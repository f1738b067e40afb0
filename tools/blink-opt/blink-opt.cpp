//===- blink-opt.cpp - run passes on collective IR ------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/passes/Passes.h"
#include "tools/blink-opt/OptUsage.h"
#include "tools/manual/Completion.h"
#include "tools/manual/ManPage.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace blink;

/// Handles --man-pages FOLDER and --completion SHELL, which the build uses.
static int writeManual(llvm::StringRef what, llvm::StringRef argument,
                       mlir::DialectRegistry &registry) {
  const manual::Command usage = readOptUsage(registry);
  if (what == "--completion") {
    if (!llvm::is_contained(manual::shells(), argument)) {
      llvm::errs() << "blink-opt: error: --completion " << argument
                   << ": expected bash, zsh or fish\n";
      return 2;
    }
    llvm::outs() << manual::toCompletion(argument.str(), usage, {});
    return 0;
  }
  const std::string path = (argument + "/blink-opt.1").str();
  std::error_code error;
  llvm::raw_fd_ostream file(path, error);
  if (!error)
    file << manual::toManPage(usage, "blink-opt " BLINK_VERSION_STRING);
  file.flush();
  if (error || file.has_error()) {
    llvm::errs() << "blink-opt: error: " << path << ": cannot be written\n";
    file.clear_error();
    return 2;
  }
  return 0;
}

int main(int argc, char **argv) {
  registerCollectivePasses();
  mlir::DialectRegistry registry;
  registry.insert<collective::CollectiveDialect>();
  if (argc == 3)
    for (llvm::StringRef what : {"--man-pages", "--completion"})
      if (what == argv[1])
        return writeManual(what, argv[2], registry);
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Blink's pass driver\n", registry));
}
