//===- ExtractCommand.cpp - blinkc extract --------------------------------===//
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
struct ExtractFlags {
  std::string input;
  std::string output;
  JobFlags job;
};
} // namespace

/// Returns an error that says what to do with `input`, which is not a bundle.
static llvm::Error refuseOther(const InputFile &input) {
  if (input.kind != InputKind::schedule)
    return makeError("{0}: is not a bundle; make one with: blinkc compile "
                     "FILE.topo --allocations all -o FILE.sched",
                     input.path);
  llvm::Expected<const sched::Schedule *> file = openAnySchedule(input);
  if (!file)
    return file.takeError();
  if (sched::isSymmetric(**file))
    return makeError("{0}: is not a bundle, but the schedule of one job in "
                     "symmetric form; use it as it is, or write it out in "
                     "full with: blinkc expand {0} -o FULL.sched",
                     input.path);
  return makeError(
      "{0}: is not a bundle, but the schedule of one job; use it as "
      "it is, or make a bundle with: blinkc compile FILE.topo "
      "--allocations all -o FILE.sched",
      input.path);
}

static int run(const ExtractFlags &flags) {
  if (llvm::Error error = checkOutput(flags.input, flags.output))
    return reportError(std::move(error));
  llvm::Expected<InputFile> input = readInputAsItIs(flags.input);
  if (!input)
    return reportError(input.takeError());
  if (input->kind != InputKind::bundle)
    return reportError(refuseOther(*input));
  llvm::Expected<BundleJob> job = flags.job.job();
  if (!job)
    return reportError(job.takeError());
  llvm::Expected<InputFile> one = extractSchedule(*input, *job);
  if (!one)
    return reportError(one.takeError());
  auto file = writeSchedule(flags.output, one->bytes);
  if (!file)
    return reportError(file.takeError());
  if (!*file)
    return kGood;
  llvm::outs() << toText(
      ExtractedProgram{summarize(**file, *(*file)->programs()->Get(0)),
                       one->bytes.size(), flags.output});
  return kGood;
}

void blink::addExtractCommand(CLI::App &app, int &exitCode) {
  auto [command, flags] = addCommand<ExtractFlags>(
      app, exitCode, "extract", "Extract the schedule of one job from a bundle",
      run);
  command.add_option("input", flags.input, "Bundle (.sched)")
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
  flags.job.addTo(command);
  command
      .add_option("--without-link", flags.job.rest.withoutLink,
                  "Extract the spare schedule for a machine on which all links "
                  "between these two nodes have failed")
      ->type_name("A:B");
  command.footer("All other commands accept the output. Some, such as run and "
                 "explain, also accept\n"
                 "the bundle, and select a schedule by -g, -c and -r.\n"
                 "Example:\n"
                 "  blinkc extract dgx1.sched -g 1,4,5,6 -c broadcast -r 2 -o "
                 "one.sched");
}
