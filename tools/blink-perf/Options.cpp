//===- Options.cpp - the command line of blink-perf -----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blink-perf/Options.h"

#include "tools/replay/Samples.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <getopt.h>

namespace blink::perf {
namespace {

constexpr char kHelp[] =
    R"(blink-perf measures schedules as nccl-tests measures NCCL, and checks every
element.

  blink-perf [options] FILE.sched...

Several files make one set of schedules; every collective in them is measured. Of
a bundle, those for the GPUs that --gpus names.

  -b, --minbytes SIZE      smallest size (8); sizes take K, M, G
  -e, --maxbytes SIZE      largest size (64M)
  -f, --stepfactor N       factor between sizes (2)
  -i, --stepbytes SIZE     difference between sizes, instead of a factor
  -n, --iters N            timed iterations (20)
  -w, --warmup_iters N     iterations before them (5)
  -c, --check 0|1          check one iteration of each line (1)
  -o, --op NAME            sum, prod, max, min, avg or all (sum)
  -d, --datatype NAME      int8, uint8, int32, uint32, int64, uint64, half, float,
                           double, bfloat16, fp8_e4m3, fp8_e5m2 or all (float)
  -r, --root RANK          of rooted collectives; -1: all that the files have (-1)
  -t, --mode MODE          group: one thread drives all ranks; threads: a thread a
                           rank; processes: a process a rank (group)
      --collective NAME    this one alone
      --gpus LIST          of a bundle: the GPU of each rank, in any order, as the
                           machine numbers them, e.g. 1,4,5,6 (all of them)
      --ranks N            ranks, relays among them (those of the first program)
      --backend NAME       host or cuda (host)
      --devices LIST       CUDA's number of each rank's GPU, or one for all (that
                           of --gpus, else rank R on GPU R)
  -G, --cudagraph N        capture N launches in a CUDA graph and launch that
  -R, --local_register 0|1 register buffers of blinkMemAlloc, so that processes
                           reach into each other's (0)
  -J, --json FILE          also write the results as JSON
      --tune               instead of measuring: find the sizes from which each
                           variant of the one file is faster on this machine, and
                           its best chunk size; of a bundle, of the schedules
                           that --gpus has; needs -o
  -o, --output FILE        with --tune: where the corrected file goes, whole or
                           not at all; may be the same
      --self-test          instead of measuring: run every variant of every program
                           once at a size that gives each channel data
      --timeout MS         a rank waits so long for the others (BLINK_TIMEOUT_MS
                           or 30000)
  -h, --help               this
      --version            the version

Examples:
  blink-perf -b 1K -e 16M -f 4 allreduce.sched
  blink-perf --backend cuda --devices 0 -G 20 allreduce.sched
  blink-perf --gpus 1,4,5,6 --collective broadcast -r 2 dgx1.sched
  blink-perf --self-test allreduce.sched
  blink-perf --tune allreduce.sched -o tuned.sched
Exit code: 0 good, 1 a wrong element or a failed call, 2 the call or a file is
wrong.
)";

enum LongOnly {
  kCollective = 256,
  kGpus,
  kRanks,
  kBackend,
  kDevices,
  kTimeout,
  kSelfTest,
  kTune,
  kOp,
  kOutput,
  kVersion
};

const option kLongOptions[] = {
    {"minbytes", required_argument, nullptr, 'b'},
    {"maxbytes", required_argument, nullptr, 'e'},
    {"stepfactor", required_argument, nullptr, 'f'},
    {"stepbytes", required_argument, nullptr, 'i'},
    {"iters", required_argument, nullptr, 'n'},
    {"warmup_iters", required_argument, nullptr, 'w'},
    {"check", required_argument, nullptr, 'c'},
    {"op", required_argument, nullptr, kOp},
    {"datatype", required_argument, nullptr, 'd'},
    {"root", required_argument, nullptr, 'r'},
    {"mode", required_argument, nullptr, 't'},
    {"collective", required_argument, nullptr, kCollective},
    {"gpus", required_argument, nullptr, kGpus},
    {"ranks", required_argument, nullptr, kRanks},
    {"backend", required_argument, nullptr, kBackend},
    {"devices", required_argument, nullptr, kDevices},
    {"cudagraph", required_argument, nullptr, 'G'},
    {"local_register", required_argument, nullptr, 'R'},
    {"json", required_argument, nullptr, 'J'},
    {"timeout", required_argument, nullptr, kTimeout},
    {"self-test", no_argument, nullptr, kSelfTest},
    {"tune", no_argument, nullptr, kTune},
    {"output", required_argument, nullptr, kOutput},
    {"help", no_argument, nullptr, 'h'},
    {"version", no_argument, nullptr, kVersion},
    {nullptr, 0, nullptr, 0}};

const char *const kModeNames[] = {"group", "threads", "processes", nullptr};
const char *const kBackendNames[] = {"host", "cuda", nullptr};

/// "--iters" for 'n'.
std::string nameOfOption(int letter) {
  for (const option *o = kLongOptions; o->name; ++o)
    if (o->val == letter)
      return std::string("--") + o->name;
  return std::string("-") + char(letter);
}

long readNumber(int letter, const char *text, long least, long most) {
  char *end = nullptr;
  errno = 0;
  const long value = std::strtol(text, &end, 10);
  if (end == text || *end != '\0' || errno != 0 || value < least ||
      value > most)
    throw UsageError(nameOfOption(letter) + ": '" + text +
                     "' is not a number from " + std::to_string(least) +
                     " to " + std::to_string(most));
  return value;
}

uint64_t readSize(int letter, const char *text) {
  constexpr uint64_t kMost = uint64_t(1) << 40;
  char *end = nullptr;
  errno = 0;
  uint64_t value = std::strtoull(text, &end, 10);
  int shift = 0;
  if (end != text && *end != '\0' && end[1] == '\0') {
    const char *suffix = std::strchr("kKmMgG", *end);
    if (suffix) {
      shift = 10 * (1 + int(std::strchr("kKmMgG", *end) - &"kKmMgG"[0]) / 2);
      ++end;
    }
  }
  if (end == text || *end != '\0' || errno != 0 || *text == '-' ||
      value > kMost >> shift)
    throw UsageError(nameOfOption(letter) + ": '" + text +
                     "' is not a size up to 1024G, as 4096, 64K, 16M or 1G");
  return value << shift;
}

/// The index of `word` in a null-terminated list.
int readName(int letter, const char *word, const char *const *names) {
  std::string expected;
  for (int i = 0; names[i]; ++i) {
    if (std::strcmp(word, names[i]) == 0)
      return i;
    expected += std::string(i == 0 ? "" : ", ") + names[i];
  }
  throw UsageError(nameOfOption(letter) + ": no '" + word + "'; expected " +
                   expected);
}

/// One of the names, or every one for "all".
template <typename T>
std::vector<T> readNames(int letter, const char *word,
                         const char *const *names) {
  std::vector<T> values;
  if (std::strcmp(word, "all") != 0)
    return {static_cast<T>(readName(letter, word, names))};
  for (int i = 0; names[i]; ++i)
    values.push_back(static_cast<T>(i));
  return values;
}

std::vector<int> readList(int letter, const std::string &text) {
  std::vector<int> numbers;
  size_t begin = 0;
  do {
    const size_t end = std::min(text.find(',', begin), text.size());
    numbers.push_back(int(readNumber(
        letter, text.substr(begin, end - begin).c_str(), 0, 1 << 16)));
    begin = end + 1;
  } while (begin <= text.size());
  return numbers;
}

void readOption(int letter, const char *text, Options &options) {
  switch (letter) {
  case 'b':
    options.minBytes = readSize(letter, text);
    break;
  case 'e':
    options.maxBytes = readSize(letter, text);
    break;
  case 'f':
    options.stepFactor = uint64_t(readNumber(letter, text, 2, 1 << 20));
    break;
  case 'i':
    options.stepBytes = readSize(letter, text);
    break;
  case 'n':
    options.iterations = int(readNumber(letter, text, 1, INT_MAX));
    break;
  case 'w':
    options.warmup = int(readNumber(letter, text, 0, INT_MAX));
    break;
  case 'c':
    options.check = readNumber(letter, text, 0, 1) != 0;
    break;
  case kOp:
    options.ops = readNames<blinkRedOp_t>(letter, text, kOpNames);
    break;
  case 'o': // nccl-tests' operator, or the output that --tune must have
    return readOption(options.tune ? kOutput : kOp, text, options);
  case kOutput:
    options.output = text;
    break;
  case 'd':
    options.types = readNames<blinkDataType_t>(letter, text, kTypeNames);
    break;
  case 'r':
    options.root = int(readNumber(letter, text, -1, 65535));
    break;
  case 't':
    options.mode = static_cast<Mode>(readName(letter, text, kModeNames));
    break;
  case kCollective:
    options.collective = text;
    break;
  case kGpus:
    options.gpus = readList(letter, text);
    break;
  case kRanks:
    options.ranks = int(readNumber(letter, text, 1, 65535));
    break;
  case kBackend:
    options.backend =
        static_cast<blinkBackend_t>(readName(letter, text, kBackendNames));
    break;
  case kDevices:
    options.devices = readList(letter, text);
    break;
  case 'G':
    options.graphLaunches = int(readNumber(letter, text, 0, 100000));
    break;
  case 'R':
    options.registers = readNumber(letter, text, 0, 1) != 0;
    break;
  case 'J':
    options.json = text;
    break;
  case kSelfTest:
    options.selfTest = true;
    break;
  case kTimeout:
    options.timeoutMs = int(readNumber(letter, text, 0, INT_MAX));
    break;
  }
}

/// A self-test chooses sizes and repeats nothing: it refuses what would say
/// otherwise. `given`: the options of the command line.
void prepareSelfTest(const std::vector<int> &given, Options &options) {
  for (const int letter : {'b', 'e', 'f', 'i', 'n', 'w', 'c', 'G'})
    if (std::find(given.begin(), given.end(), letter) != given.end())
      throw UsageError(nameOfOption(letter) +
                       ": --self-test chooses the sizes, runs each once and "
                       "checks it");
  options.iterations = 1;
  options.warmup = 0;
}

/// A tuning chooses sizes and programs, too. `given`: as above.
void checkTuning(const std::vector<int> &given, const Options &options) {
  const auto refuse = [](int letter, const char *why) {
    throw UsageError(nameOfOption(letter) + ": --tune " + why);
  };
  for (const int letter : {int('b'), int('f'), int('i'), int('c'), int('r'),
                           int(kRanks), int(kSelfTest)})
    if (std::find(given.begin(), given.end(), letter) != given.end())
      refuse(letter,
             "measures every program of its file, of a bundle every one "
             "of the job, at every power of two from 8, and runs a "
             "self-test of what it writes");
  if (options.types.size() != 1)
    refuse('d', "measures one type");
  if (options.ops.size() != 1)
    refuse(kOp, "measures one operator");
  if (options.files.size() != 1)
    throw UsageError("--tune takes one schedule, not " +
                     std::to_string(options.files.size()));
  if (options.output.empty())
    throw UsageError("--tune needs -o FILE, for the corrected schedule");
  if (options.output == options.json)
    throw UsageError("--json: the schedule of -o goes to the same file");
  if (options.maxBytes < options.minBytes)
    refuse('e', "measures sizes from 8");
}

/// What one option alone does not show.
void checkTogether(const Options &options) {
  if (options.files.empty())
    throw UsageError("no schedule given; blink-perf --help says how");
  if (options.minBytes > options.maxBytes)
    throw UsageError("--minbytes is more than --maxbytes");
  if (options.backend == blinkBackendCuda) {
    if (!BLINK_HAVE_CUDA)
      throw UsageError("--backend: this build has no CUDA back end");
    if (options.mode != Mode::group)
      throw UsageError("--mode: with --backend cuda one thread drives all "
                       "ranks in a group");
    return;
  }
  if (!options.devices.empty())
    throw UsageError("--devices is for --backend cuda");
  if (options.graphLaunches != 0)
    throw UsageError("--cudagraph is for --backend cuda");
}

} // namespace

const char *nameOf(Mode mode) { return kModeNames[int(mode)]; }

bool parseOptions(int argc, char **argv, Options &options) {
  opterr = 0;
  std::vector<int> given;
  std::vector<const char *> values; // of each
  for (;;) {
    const int letter = getopt_long(argc, argv, ":b:e:f:i:n:w:c:o:d:r:t:G:R:J:h",
                                   kLongOptions, nullptr);
    if (letter == -1)
      break;
    if (letter == 'h') {
      std::fputs(kHelp, stdout);
      return false;
    }
    if (letter == kVersion) {
      std::puts("blink-perf " BLINK_VERSION_STRING);
      return false;
    }
    if (letter == ':')
      throw UsageError(nameOfOption(optopt) + " needs a value");
    if (letter == '?')
      throw UsageError((optopt != 0 ? std::string("-") + char(optopt)
                                    : std::string(argv[optind - 1])) +
                       ": no such option; blink-perf --help lists them");
    given.push_back(letter);
    values.push_back(optarg);
  }
  // It decides what -o means.
  options.tune = std::find(given.begin(), given.end(), kTune) != given.end();
  for (size_t i = 0; i < given.size(); ++i)
    readOption(given[i], values[i], options);
  options.files.assign(argv + optind, argv + argc);
  if (options.tune)
    checkTuning(given, options);
  else if (!options.output.empty())
    throw UsageError("--output is for --tune");
  if (options.selfTest)
    prepareSelfTest(given, options);
  checkTogether(options);
  return true;
}

} // namespace blink::perf
