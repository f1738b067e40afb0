//===- Options.cpp - the command line of blink-perf -----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blink-perf/Options.h"

#include "schedules/Collectives.h"
#include "schedules/WholeFile.h"
#include "tools/blink-perf/Backend.h"
#include "tools/blink-perf/IdFile.h"
#include "tools/blink-perf/Launcher.h"
#include "tools/manual/Checks.h"
#include "tools/manual/Completion.h"
#include "tools/manual/ManPage.h"
#include "tools/replay/Samples.h"

#include "CLI/CLI.hpp"

#include <climits>
#include <sstream>
#include <sys/stat.h>

namespace blink::perf {
namespace {

using Names = std::vector<std::string>;

Names listOf(const char *const *names) {
  Names list;
  for (; *names; ++names)
    list.push_back(*names);
  return list;
}

Names withAll(Names names) {
  names.push_back("all");
  return names;
}

const Names kModeNames{"group", "threads", "processes"};
const Names kBackendNames{"host", "cuda"};

/// Returns the value that `name`, one of `names`, stands for.
template <typename T> T valueOf(const std::string &name, const Names &names) {
  return static_cast<T>(std::find(names.begin(), names.end(), name) -
                        names.begin());
}

/// Returns the value of one of the names, or all values for "all".
template <typename T>
std::vector<T> valuesOf(const std::string &name, const Names &names) {
  if (name != "all")
    return {valueOf<T>(name, names)};
  std::vector<T> values;
  for (size_t i = 0; i < names.size(); ++i)
    values.push_back(static_cast<T>(i));
  return values;
}

/// Parses the command line, and keeps what decides how to read the rest.
class CommandLine {
public:
  explicit CommandLine(Options &options);

  /// Prints help or the version, if asked for, and returns false.
  bool parse(int argc, char **argv);

private:
  void addSizes();
  void addCases();
  void addRanks();
  void addActions();
  void addManuals();
  template <typename T>
  CLI::Option *addOption(const char *names, T &value, const char *help) {
    return app_.add_option(names, value, help)->capture_default_str();
  }
  CLI::Option *addSize(const char *names, uint64_t &value, const char *help);
  CLI::Option *addList(const char *names, std::vector<int> &value,
                       const char *help);
  CLI::Option *addName(const char *names, std::string &value,
                       const Names &known, const char *help);

  void takeNames();
  void prepareSelfTest();
  void prepareCalibration();
  void checkTuning() const;
  void takeRank();
  void checkTogether() const;

  Options &options_;
  CLI::App app_{
      "blink-perf measures schedules as nccl-tests measures NCCL, and checks "
      "every\nelement. Several files form one set of schedules, of which every "
      "collective is\nmeasured. In a bundle, the schedules for the GPUs of "
      "--gpus are measured."};
  std::string type_ = "float", op_ = "sum", mode_ = "group", backend_ = "host";
  std::string opOrOutput_; ///< -o; its meaning depends on --tune
  std::vector<CLI::Option *> notForSelfTest_, notForTuning_;
};

CommandLine::CommandLine(Options &options) : options_(options) {
  app_.name("blink-perf");
  app_.set_version_flag("--version", "blink-perf " BLINK_VERSION_STRING);
  // As with getopt, the last occurrence of an option counts.
  app_.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  addSizes();
  addCases();
  addRanks();
  addActions();
  addManuals();
  app_.footer("Examples:\n"
              "  blink-perf -b 1K -e 16M -f 4 allreduce.sched\n"
              "  blink-perf --backend cuda --devices 0 -G 20 allreduce.sched\n"
              "  blink-perf --gpus 1,4,5,6 --collective broadcast -r 2 "
              "dgx1.sched\n"
              "  blink-perf --self-test allreduce.sched\n"
              "  blink-perf --tune allreduce.sched -o tuned.sched\n"
              "  blink-perf --calibrate host.costs allreduce.sched\n"
              "Exit code: 0 success, 1 a wrong element or a failed call, 2 "
              "an invalid command\nline or input file.");
}

CLI::Option *CommandLine::addSize(const char *names, uint64_t &value,
                                  const char *help) {
  return app_.add_option(names, value, help)
      ->transform(CLI::AsSizeValue(/*kb_is_1000=*/false))
      ->check(CLI::Range(uint64_t(0), uint64_t(1) << 40))
      ->type_name("SIZE");
}

/// Parses "1,4,5,6". CLI's own list would take "1,,4" for "1,4", and a file
/// that follows it for a number.
CLI::Option *CommandLine::addList(const char *names, std::vector<int> &value,
                                  const char *help) {
  const auto read = [names, &value](const std::string &text) {
    value.clear();
    std::istringstream numbers(text + ",");
    for (std::string number; std::getline(numbers, number, ',');) {
      if (!manual::Decimal()(number).empty() ||
          !CLI::Range(0, 1 << 16)(number).empty())
        throw CLI::ValidationError(
            names, "'" + number + "' is not a number from 0 to 65536");
      value.push_back(std::stoi(number));
    }
  };
  return app_.add_option_function<std::string>(names, read, help)
      ->type_name("LIST");
}

CLI::Option *CommandLine::addName(const char *names, std::string &value,
                                  const Names &known, const char *help) {
  return addOption(names, value, help)
      ->check(CLI::IsMember(known))
      ->type_name("NAME");
}

void CommandLine::addSizes() {
  auto *least = addSize("-b,--minbytes", options_.minBytes,
                        "Smallest size, with K, M or G")
                    ->default_str("8");
  auto *most = addSize("-e,--maxbytes", options_.maxBytes, "Largest size")
                   ->default_str("64M");
  auto *factor =
      addOption("-f,--stepfactor", options_.stepFactor, "Factor between sizes")
          ->check(CLI::Range(2, 1 << 20));
  auto *step = addSize("-i,--stepbytes", options_.stepBytes,
                       "Difference between sizes, instead of a factor");
  auto *iterations =
      addOption("-n,--iters", options_.iterations, "Number of timed iterations")
          ->check(CLI::Range(1, INT_MAX));
  auto *warmup = addOption("-w,--warmup_iters", options_.warmup,
                           "Number of iterations before the timed ones")
                     ->check(CLI::Range(0, INT_MAX));
  auto *check = addOption("-c,--check", options_.check,
                          "Check the results of one iteration for each line")
                    ->check(CLI::Range(0, 1))
                    ->type_name("0|1")
                    ->default_str("1");
  notForSelfTest_ = {least, most, factor, step, iterations, warmup, check};
  notForTuning_ = {least, factor, step, check};
}

void CommandLine::addCases() {
  app_.add_option("FILE", options_.files, "Schedules, or a bundle (.sched)")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("");
  addName("--op", op_, withAll(listOf(kOpNames)),
          "Operator of reductions; also -o, unless --tune is given");
  addName("-d,--datatype", type_, withAll(listOf(kTypeNames)),
          "Type of the elements");
  auto *root =
      addOption("-r,--root", options_.root,
                "Rank of the root of rooted collectives (-1: each root "
                "in the files)")
          ->check(CLI::Range(-1, 65535))
          ->type_name("RANK");
  app_.add_option("--collective", options_.collective,
                  "Measure only this collective")
      ->type_name("COLLECTIVE");
  notForTuning_.push_back(root);
}

void CommandLine::addRanks() {
  addName("-t,--mode", mode_, kModeNames,
          "How ranks run: group (one thread drives all ranks), threads (one "
          "thread per rank) or processes (one process per rank)");
  addList("--gpus", options_.gpus,
          "For a bundle: the GPU of each rank, numbered as in the topology, in "
          "any order, e.g. 1,4,5,6. Default: all GPUs, in order");
  auto *ranks =
      app_.add_option("--ranks", options_.ranks,
                      "Number of ranks, including relays. Default: that of the "
                      "first program")
          ->check(CLI::Range(1, 65535))
          ->type_name("N");
  app_.add_option("--rank", options_.rank,
                  "Run only this rank; the other ranks are separate processes, "
                  "on any server. Default: the rank that torchrun, mpirun or "
                  "srun has assigned, if any")
      ->check(CLI::Range(0, 65535))
      ->type_name("R");
  app_.add_option(
          "--id-file", options_.idFile,
          "File by which ranks in separate processes find each other, on "
          "a file system that all ranks share, with a name that no other "
          "job uses")
      ->type_name("FILE");
  addName("--backend", backend_, kBackendNames,
          "Back end that executes schedules");
  addList("--devices", options_.devices,
          "CUDA device of each rank, or one device for all ranks. Default: the "
          "numbers of --gpus, or device R for rank R");
  auto *graph = app_.add_option("-G,--cudagraph", options_.graphLaunches,
                                "Capture N calls in a CUDA graph, and launch "
                                "the graph in each iteration")
                    ->check(CLI::Range(0, 100000))
                    ->type_name("N");
  addOption("-R,--local_register", options_.registers,
            "Allocate buffers by blinkMemAlloc and register them, so that "
            "ranks can access each other's buffers")
      ->check(CLI::Range(0, 1))
      ->type_name("0|1")
      ->default_str("0");
  app_.add_option("--timeout", options_.timeoutMs,
                  "Milliseconds that a rank waits for the others. Default: the "
                  "value of BLINK_TIMEOUT_MS, or 30000")
      ->check(CLI::Range(0, INT_MAX))
      ->type_name("MS");
  notForSelfTest_.push_back(graph);
  notForTuning_.push_back(ranks);
}

void CommandLine::addActions() {
  app_.add_option("-J,--json", options_.json, "Also write the results as JSON")
      ->type_name("FILE");
  notForTuning_.push_back(
      app_.add_option("--trace", options_.trace,
                      "Also write a trace of all lanes for Perfetto "
                      "(ui.perfetto.dev). With --id-file, each rank writes "
                      "FILE.RANK; these files can be concatenated to one "
                      "trace. The first 4,096 folds of a lane are kept")
          ->type_name("FILE"));
  app_.add_flag(
      "--tune", options_.tune,
      "Instead of a measurement: determine from which sizes on each variant "
      "of a schedule is faster on this machine, and the best chunk size. "
      "In a bundle, the schedules for --gpus are tuned. Needs one FILE and -o");
  app_.add_option("--output", options_.output,
                  "With --tune (also -o): output file, written completely or "
                  "not at all; may be the input file")
      ->type_name("FILE");
  app_.add_option("-o", opOrOutput_,
                  "Same as --op; with --tune, same as --output")
      ->type_name("NAME|FILE");
  auto *calibrate = app_.add_option(
      "--calibrate", options_.costs,
      "Instead of a measurement of rates: measure the costs of folds on this "
      "machine, and write a cost file for blinkc simulate --costs");
  calibrate->type_name("FILE");
  for (auto *excluding : {&notForSelfTest_, &notForTuning_})
    excluding->push_back(calibrate);
  notForTuning_.push_back(app_.add_flag(
      "--self-test", options_.selfTest,
      "Instead of a measurement: run every variant of every program once, at a "
      "size at which each channel carries data, and check the results"));
}

void CommandLine::addManuals() {
  const auto complete = [this](const std::string &shell) {
    manual::Vocabulary known;
    for (sched::Collective collective : sched::kJointCollectives)
      known["COLLECTIVE"].push_back(sched::EnumNameCollective(collective));
    // Printed like the version, by parse().
    throw CLI::CallForVersion(
        manual::toCompletion(shell, manual::readUsage(app_), known), 0);
  };
  app_.add_option_function<std::string>(
          "--completion", complete, "Print a completion script for this shell")
      ->check(CLI::IsMember(manual::shells()))
      ->type_name("SHELL");
  manual::refuseEmptyNames(app_);
  manual::refuseOtherBases(app_);
  manual::addManPages(app_, "blink-perf " BLINK_VERSION_STRING);
}

void CommandLine::takeNames() {
  const Names ops = listOf(kOpNames);
  if (options_.tune && app_.count("-o") > 0)
    options_.output = opOrOutput_;
  else if (app_.count("-o") > 0)
    op_ = opOrOutput_;
  // CLI has checked --op, but not -o.
  const std::string wrong = CLI::IsMember(withAll(ops))(op_);
  if (!wrong.empty())
    throw UsageError("--op: " + wrong);
  options_.ops = valuesOf<blinkRedOp_t>(op_, ops);
  options_.types = valuesOf<blinkDataType_t>(type_, listOf(kTypeNames));
  options_.mode = valueOf<Mode>(mode_, kModeNames);
  options_.backend = valueOf<blinkBackend_t>(backend_, kBackendNames);
}

/// Determines whether this process is one rank of several, and which.
void CommandLine::takeRank() {
  const bool given = options_.rank != -1;
  const LaunchedRank launched = given ? LaunchedRank() : launchedRank();
  if (options_.idFile.empty()) {
    if (given)
      throw UsageError("--rank: one rank does not find the others; give all of "
                       "them the same --id-file, on a file system that they "
                       "share");
    if (launched.rank != -1)
      throw UsageError("the environment (", launched.variables,
                       ") says that this is rank ", launched.rank, " of ",
                       launched.ranks,
                       ", but not how the ranks get the job's id; give all of "
                       "them the same --id-file, on a file system that they "
                       "share, or unset the variables");
    return;
  }
  if (!given && launched.rank == -1)
    throw UsageError("--id-file: which rank is this? Give --rank and --ranks, "
                     "or start it with torchrun, mpirun or srun");
  if (!given) {
    options_.rank = launched.rank;
    if (options_.ranks != 0 && options_.ranks != launched.ranks)
      throw UsageError("--ranks: ", options_.ranks, " ranks, but ",
                       launched.variables, " say ", launched.ranks);
    options_.ranks = launched.ranks;
  }
  if (!options_.costs.empty())
    throw UsageError("--id-file is for measuring, not for --calibrate");
  if (options_.backend == blinkBackendCuda)
    throw UsageError("--id-file is for --backend host");
  if (app_.count("--mode") > 0 && options_.mode != Mode::processes)
    throw UsageError("--mode: with --id-file each rank is a process");
  checkIdFile(options_.idFile);
  options_.mode = Mode::processes;
}

/// A self-test chooses sizes and repeats nothing, so it refuses options for
/// these.
void CommandLine::prepareSelfTest() {
  for (const CLI::Option *option : notForSelfTest_)
    if (option->count() > 0)
      throw UsageError(option->get_name() +
                       ": --self-test chooses the sizes, runs each once and "
                       "checks it");
  options_.iterations = 1;
  options_.warmup = 0;
}

/// A calibration runs one thread or process per rank, on the host, and at sizes
/// of its own unless they are given.
void CommandLine::prepareCalibration() {
  if (options_.backend == blinkBackendCuda)
    throw UsageError("--calibrate is for --backend host");
  if (app_.count("--mode") == 0)
    options_.mode = Mode::threads;
  if (options_.mode == Mode::group)
    throw UsageError("--mode: --calibrate takes threads or processes, whose "
                     "ranks have a thread each");
  if (!options_.json.empty())
    throw UsageError("--json: --calibrate writes no results but the costs");
  if (app_.count("--minbytes") == 0)
    options_.minBytes = 1 << 10;
  if (app_.count("--iters") == 0)
    options_.iterations = 0; // depends on the size
  if (!options_.trace.empty())
    throw UsageError("--trace: --calibrate reads traces of its own");
  options_.check = false;
  options_.onlyOutOfPlace = true;
}

/// A tuning also chooses sizes and programs, so it refuses options for these.
void CommandLine::checkTuning() const {
  for (const CLI::Option *option : notForTuning_)
    if (option->count() > 0 &&
        (options_.rank == -1 || option->get_name() != "--ranks"))
      throw UsageError(option->get_name() +
                       ": --tune measures every program of its file, of a "
                       "bundle every one of the job, at every power of two "
                       "from 8, and runs a self-test of what it writes");
  if (options_.types.size() != 1)
    throw UsageError("--datatype: --tune measures one type");
  if (options_.ops.size() != 1)
    throw UsageError("--op: --tune measures one operator");
  if (options_.files.size() != 1)
    throw UsageError("--tune takes one schedule, not ", options_.files.size());
  if (options_.output.empty())
    throw UsageError("--tune needs -o FILE, for the corrected schedule");
  if (!options_.json.empty() &&
      sched::areSameFile(options_.output, options_.json))
    throw UsageError("--json: the schedule of -o goes to the same file");
  if (options_.maxBytes < options_.minBytes)
    throw UsageError("--maxbytes: --tune measures sizes from 8");
}

/// Checks the options in combination.
void CommandLine::checkTogether() const {
  if (options_.files.empty())
    throw UsageError("no schedule given; see blink-perf --help");
  if (!options_.json.empty() && !options_.trace.empty() &&
      sched::areSameFile(options_.json, options_.trace))
    throw UsageError("--json: the trace goes to the same file");
  // Only --tune may write where it has read.
  for (const auto &[name, output] : {std::pair("--json", &options_.json),
                                     {"--trace", &options_.trace},
                                     {"--calibrate", &options_.costs}})
    for (const std::string &file : options_.files)
      if (!output->empty() && sched::areSameFile(*output, file))
        throw UsageError(name, ": ", *output, " is a schedule to measure");
  for (const std::string &file : options_.files)
    if (struct stat status; stat(file.c_str(), &status) == 0 &&
                            !S_ISREG(status.st_mode) &&
                            !S_ISDIR(status.st_mode))
      throw UsageError(file, " is not a regular file, but blink-perf reads "
                             "schedules more than once; copy it to a file");
  if (options_.minBytes > options_.maxBytes)
    throw UsageError("--minbytes is more than --maxbytes");
  if (options_.backend == blinkBackendCuda) {
    if (!hasCudaBackend())
      throw UsageError("--backend: this build has no CUDA back end");
    if (options_.mode != Mode::group)
      throw UsageError("--mode: with --backend cuda one thread drives all "
                       "ranks in a group");
    return;
  }
  if (!options_.devices.empty())
    throw UsageError("--devices is for --backend cuda");
  if (options_.graphLaunches != 0)
    throw UsageError("--cudagraph is for --backend cuda");
}

bool CommandLine::parse(int argc, char **argv) {
  try {
    app_.parse(argc, argv);
  } catch (const CLI::Success &asked) { // help or version
    app_.exit(asked);
    return false;
  } catch (const CLI::ParseError &error) {
    throw UsageError(std::string(error.what()) +
                     "; blink-perf --help lists the options");
  }
  takeNames();
  takeRank();
  if (options_.tune)
    checkTuning();
  else if (!options_.output.empty())
    throw UsageError("--output is for --tune");
  if (options_.selfTest)
    prepareSelfTest();
  if (!options_.costs.empty())
    prepareCalibration();
  checkTogether();
  return true;
}

} // namespace

const char *nameOf(Mode mode) { return kModeNames[size_t(mode)].c_str(); }

bool parseOptions(int argc, char **argv, Options &options) {
  return CommandLine(options).parse(argc, argv);
}

} // namespace blink::perf
