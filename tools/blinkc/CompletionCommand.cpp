//===- CompletionCommand.cpp - blinkc completion --------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blinkc/Command.h"
#include "tools/manual/Completion.h"

#include "compiler/import/Rates.h"
#include "compiler/machines/MachineTypes.h"
#include "compiler/topology/Topology.h"

#include "llvm/Support/raw_ostream.h"

using namespace blink;

/// The words for values that the parser has no list of.
static manual::Vocabulary vocabulary() {
  manual::Vocabulary known;
  for (const MachineType &type : machineTypes())
    known["MACHINE"].push_back(type.name.str());
  for (const sched::CollectiveTraits &traits : sched::kCollectiveTraits)
    known["COLLECTIVE"].push_back(toString(traits.collective).str());
  for (const GpuModel &model : gpuModels())
    known["MODEL"].push_back(model.name.str());
  known["KINDS"].push_back("all");
  for (LinkKind kind : sched::EnumValuesLinkKind())
    known["KINDS"].push_back(toString(kind).str());
  return known;
}

void blink::addCompletionCommand(CLI::App &app, int &exitCode) {
  auto shell = std::make_shared<std::string>();
  CLI::App *command =
      app.add_subcommand("completion", "Print a completion script for a shell");
  command->add_option("shell", *shell, "Shell that runs the script")
      ->check(CLI::IsMember(manual::shells()))
      ->type_name("SHELL")
      ->required();
  command->footer("Examples:\n"
                  "  source <(blinkc completion bash)\n"
                  "  blinkc completion zsh > ~/.zfunc/_blinkc\n"
                  "  blinkc completion fish | source");
  command->callback([=, &app, &exitCode] {
    llvm::outs() << manual::toCompletion(*shell, manual::readUsage(app),
                                         vocabulary());
    exitCode = kGood;
  });
}
