//===- TraceCommand.cpp - blinkc trace ------------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blinkc/Command.h"
#include "tools/blinkc/Files.h"

#include "compiler/render/TraceReport.h"
#include "compiler/support/Error.h"
#include "compiler/support/ReadBytes.h"
#include "schedules/trace/PerfettoTrace.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace blink;

namespace {
struct TraceDiffFlags {
  std::string before, after;
  size_t lines = 10;
  bool json = false;
};
} // namespace

static llvm::Expected<sched::ReplayTrace> readTrace(const std::string &path) {
  auto file = readBytes(path);
  if (!file)
    return makeError("{0}: error: cannot read: {1}", path,
                     file.getError().message());
  sched::ReplayTrace trace;
  const llvm::StringRef bytes = (*file)->getBuffer();
  const std::string wrong =
      sched::fromPerfetto({bytes.data(), bytes.size()}, trace);
  if (!wrong.empty())
    return makeError("{0}: error: {1}", path, wrong);
  return trace;
}

static int run(const TraceDiffFlags &flags) {
  if (llvm::Error error = readsOnce({flags.before, flags.after}))
    return reportError(std::move(error));
  llvm::Expected<sched::ReplayTrace> before = readTrace(flags.before);
  if (!before)
    return reportError(before.takeError());
  llvm::Expected<sched::ReplayTrace> after = readTrace(flags.after);
  if (!after)
    return reportError(after.takeError());
  const TraceDiff diff = diffTraces(*before, *after);
  llvm::outs() << (flags.json ? toJson(diff) : toText(diff, flags.lines));
  return kGood;
}

void blink::addTraceCommand(CLI::App &app, int &exitCode) {
  CLI::App *trace =
      app.add_subcommand("trace", "Compare traces of simulations and runs");
  trace->require_subcommand(1);
  auto [command, flags] = addCommand<TraceDiffFlags>(
      *trace, exitCode, "diff", "Report which lanes run or wait longer", run);
  command.add_option("BEFORE", flags.before, "Trace to compare with")
      ->type_name("FILE")
      ->required();
  command.add_option("AFTER", flags.after, "Trace to compare")
      ->type_name("FILE")
      ->required();
  command
      .add_option("--lines", flags.lines,
                  "Number of steps to report, those that changed most")
      ->check(CLI::Range(0, 1 << 30))
      ->type_name("NUMBER")
      ->capture_default_str();
  command.add_flag("--json", flags.json, "Report as JSON (docs/cli.md)");
  command.footer(
      "Traces are written by blinkc simulate --trace, blink-perf --trace and\n"
      "BLINK_TRACE.\n"
      "Example:\n"
      "  blinkc simulate allreduce.sched --bytes 16M --trace plan\n"
      "  blink-perf allreduce.sched -b 16M -e 16M --trace run\n"
      "  blinkc trace diff plan run");
}
