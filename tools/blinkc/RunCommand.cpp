//===- RunCommand.cpp - blinkc run ----------------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blinkc/Command.h"
#include "tools/blinkc/Flags.h"

#include "compiler/render/ReplayReport.h"
#include "tools/replay/ReplayServers.h"
#include "tools/replay/Samples.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace blink;

namespace {
struct RunFlags {
  std::string input;
  JobFlags job;
  std::string type = "float";
  std::string op = "sum";
  ReplayOptions replay;
  int servers = 0; ///< 0: all ranks in this process
  bool json = false;
};
} // namespace

/// The index of `word` in a null-terminated list, or -1.
static int indexOf(const char *const *names, llvm::StringRef word) {
  for (int i = 0; names[i]; ++i)
    if (word == names[i])
      return i;
  return -1;
}

static std::vector<std::string> listOf(const char *const *names) {
  std::vector<std::string> list;
  for (; *names; ++names)
    list.push_back(*names);
  return list;
}

/// Checks that the program has as many servers as --servers says.
static llvm::Error checkServers(const InputFile &input,
                                const sched::Schedule &file,
                                const sched::Program &program, int wanted) {
  const int there = numServers(file, program);
  if (there == wanted)
    return llvm::Error::success();
  if (there > 1)
    return makeError("--servers: {0}: the schedule is for {1} servers, not {2}",
                     input.path, there, wanted);
  return makeError(
      "--servers: {0}: all ranks of the schedule are on one server; blinkc "
      "topo pod MACHINE.topo --boxes {1} -o pod.topo joins {1} machines by a "
      "network, and blinkc compile pod.topo -o pod.sched makes a schedule",
      input.path, wanted);
}

static int run(const RunFlags &flags) {
  ReplayOptions options = flags.replay;
  options.type = static_cast<blinkDataType_t>(indexOf(kTypeNames, flags.type));
  options.op = static_cast<blinkRedOp_t>(indexOf(kOpNames, flags.op));
  llvm::Expected<InputFile> input = flags.job.readSchedule(flags.input);
  if (!input)
    return reportError(input.takeError());
  llvm::Expected<const sched::Schedule *> file = openSchedule(*input);
  if (!file)
    return reportError(file.takeError());
  for (const sched::Program *program : *(*file)->programs())
    if (flags.servers)
      if (llvm::Error error =
              checkServers(*input, **file, *program, flags.servers))
        return reportError(std::move(error));
  bool ok = true;
  for (const sched::Program *program : *(*file)->programs()) {
    ReplayResult result =
        flags.servers ? replayOnServers(input->bytes, **file, *program, options)
                      : replay(input->bytes, *program, options);
    if (!result.error.empty()) {
      reportError(makeError("{0}: {1}", input->path, result.error));
      return kBadAnswer;
    }
    llvm::sort(result.seconds);
    const ReplayedProgram replayed{summarize(**file, *program),
                                   flags.type,
                                   flags.op,
                                   flags.servers,
                                   flags.replay.inPlace,
                                   flags.replay.iterations,
                                   result.bytes,
                                   result.checked,
                                   result.wrong,
                                   result.firstWrong,
                                   result.seconds[result.seconds.size() / 2]};
    llvm::outs() << (flags.json ? toJson(replayed) : toText(replayed));
    ok &= result.wrong == 0;
  }
  return ok ? kGood : kBadAnswer;
}

void blink::addRunCommand(CLI::App &app, int &exitCode) {
  auto [command, flags] = addCommand<RunFlags>(
      app, exitCode, "run",
      "Replay a schedule on random data and check every element", run);
  addInput(command, flags.input);
  flags.job.addTo(command);
  addBytes(command, flags.replay.bytes, 0);
  command.add_option("-d,--type", flags.type, "Type of the elements")
      ->check(CLI::IsMember(listOf(kTypeNames)))
      ->capture_default_str();
  command.add_option("-o,--op", flags.op, "Operator of reductions")
      ->check(CLI::IsMember(listOf(kOpNames)))
      ->capture_default_str();
  command
      .add_option(
          "-n,--iterations", flags.replay.iterations,
          "Number of runs; all are checked, and the median time is reported")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command.add_flag("--in-place", flags.replay.inPlace,
                   "Use one buffer for input and output");
  command
      .add_option("--servers", flags.servers,
                  "Run each rank as a process, on N emulated servers, which "
                  "communicate over UCX on the loopback interface; N is the "
                  "schedule's number of servers")
      ->check(CLI::Range(2, 65535))
      ->type_name("N");
  command
      .add_option("--timeout", flags.replay.timeoutMs,
                  "Milliseconds that a rank waits for the others (0: the value "
                  "of BLINK_TIMEOUT_MS, or 30000)")
      ->check(CLI::Range(0, 1 << 30))
      ->capture_default_str();
  command.add_option("--seed", flags.replay.seed, "Seed of the random data")
      ->capture_default_str();
  command.add_flag("--json", flags.json, "Report as JSON (docs/cli.md)");
  command.footer("Each rank is a group of threads of this process or, with "
                 "--servers, a process.\n"
                 "The schedule is executed without a GPU, so its time says "
                 "nothing about the time\n"
                 "on GPUs or over a network.\n"
                 "Exit code 1 if an element is wrong or the replay fails.\n"
                 "Examples:\n"
                 "  blinkc run dgx1.sched -g 1,4,5,6 -c broadcast -r 2\n"
                 "  blinkc run pod.sched --servers 2 --bytes 1M");
}
