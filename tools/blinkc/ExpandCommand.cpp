//===- ExpandCommand.cpp - blinkc expand ----------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blinkc/Command.h"
#include "tools/blinkc/Files.h"
#include "tools/blinkc/Flags.h"

#include "compiler/render/ScheduleReport.h"
#include "compiler/support/Error.h"

#include "llvm/Support/raw_ostream.h"

using namespace blink;

namespace {
struct ExpandFlags {
  std::string input;
  std::string output;
};
} // namespace

static int run(const ExpandFlags &flags) {
  if (llvm::Error error = checkOutput(flags.input, flags.output))
    return reportError(std::move(error));
  llvm::Expected<InputFile> input = readSchedule(flags.input); // in full
  if (!input)
    return reportError(input.takeError());
  auto file = writeSchedule(flags.output, input->bytes);
  if (!file)
    return reportError(file.takeError());
  if (*file)
    for (const sched::Program *program : *(*file)->programs())
      llvm::outs() << toText(ExtractedProgram{
          summarize(**file, *program), input->bytes.size(), flags.output});
  return kGood;
}

void blink::addExpandCommand(CLI::App &app, int &exitCode) {
  auto [command, flags] = addCommand<ExpandFlags>(
      app, exitCode, "expand",
      "Write the programs of all ranks of a symmetric schedule", run);
  command.add_option("input", flags.input, "Schedule (.sched)")
      ->type_name("FILE")
      ->required();
  command
      .add_option("-o,--output", flags.output,
                  "Output file; - is standard output")
      ->required()
      ->check([](const std::string &path) {
        return std::string(path.empty() ? "expected a file" : "");
      })
      ->type_name("FILE");
  command.footer("The output is identical to that of compile without "
                 "--symmetric.\n"
                 "Example:\n"
                 "  blinkc expand pod.sched -o full.sched");
}
