//===- OptUsage.cpp - how blink-opt is called -----------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blink-opt/OptUsage.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/CommandLine.h"

#include <map>

using namespace blink;

manual::Command blink::readOptUsage(mlir::DialectRegistry &dialects) {
  llvm::StringSet<> others;
  for (const auto &entry : llvm::cl::getRegisteredOptions())
    others.insert(entry.first());
  mlir::MlirOptMainConfig::registerCLOptions(dialects);
  mlir::registerAsmPrinterCLOptions();
  mlir::registerMLIRContextCLOptions();
  mlir::registerPassManagerCLOptions();
  // LLVM's table is a hash table, but pages list options in order.
  std::map<std::string, manual::Argument> options;
  for (const auto &entry : llvm::cl::getRegisteredOptions()) {
    const std::string name = entry.first().str();
    const llvm::cl::Option &option = *entry.second;
    manual::Argument argument;
    argument.names = {(name.size() == 1 ? "-" : "--") + name};
    if (const auto *pass = mlir::PassInfo::lookup(name)) {
      argument.help = "Pass: " + pass->getPassDescription().str();
      argument.repeats = true;
    } else {
      if (others.contains(name) ||
          option.getOptionHiddenFlag() != llvm::cl::NotHidden ||
          option.HelpStr.empty())
        continue;
      argument.help = option.HelpStr.str();
      if (option.getValueExpectedFlag() == llvm::cl::ValueRequired)
        argument.value =
            option.ValueStr.empty() ? "VALUE" : option.ValueStr.upper();
    }
    if (argument.value == "FILENAME")
      argument.value = "FILE";
    options[name] = std::move(argument);
  }
  manual::Command command;
  command.path = {"blink-opt"};
  command.help = "Runs passes on IR of the collective dialect, in the order in "
                 "which they are given.";
  command.footer = "Example:\n"
                   "  blinkc compile dgx1 --emit=request | blink-opt "
                   "--collective-pack-trees";
  manual::Argument file;
  file.names = {"FILE"};
  file.value = "FILE";
  file.help = "Input file with IR; - is standard input";
  file.defaultText = "-";
  command.positionals.push_back(std::move(file));
  for (auto &[name, argument] : options)
    command.options.push_back(std::move(argument));
  return command;
}
