//===- Options.cpp - the command line of the storm ------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/storm/Options.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <getopt.h>
#include <random>

namespace blink::storm {
namespace {

constexpr char kHelp[] =
    R"(Makes random collective calls, with ranks that do not wait for each other, and
checks every element. tools/storm builds this program and runs it.

  --seconds N     duration, after which the current job is finished (60; 0: until
                  interrupted)
  --calls N       number of calls, instead of a duration
  --seed S        repeats the calls of a run: schedules, types, sizes, roots,
                  buffers and delays; random by default
  --job J         runs only this job of the seed; failures print its number
  --max-bytes N   maximum size of a message (67108864); other limits make other
                  calls
  --servers HOW   ranks are processes on 1 to 4 servers, whose channels to each
                  other use the tests' "sockets", or "ucx" on the loopback
  --verbose       prints each job
  --help          prints this text

A job is a set of communicators over one schedule, of 2 to 8 ranks, that make
dozens to hundreds of calls. A call is made by all ranks. The last line is
"N calls, W wrong, E errors, seed S": of calls with wrong results, and of those
that failed. Stops after a job in which something is wrong.
Exit code: 0 success, 1 something is wrong, 2 an invalid command line.
)";

enum Letters {
  kSeconds = 256,
  kCalls,
  kSeed,
  kJob,
  kMaxBytes,
  kServers,
  kMember
};

const option kOptions[] = {{"seconds", required_argument, nullptr, kSeconds},
                           {"calls", required_argument, nullptr, kCalls},
                           {"seed", required_argument, nullptr, kSeed},
                           {"job", required_argument, nullptr, kJob},
                           {"max-bytes", required_argument, nullptr, kMaxBytes},
                           {"servers", required_argument, nullptr, kServers},
                           {"member", required_argument, nullptr, kMember},
                           {"verbose", no_argument, nullptr, 'v'},
                           {"help", no_argument, nullptr, 'h'},
                           {nullptr, 0, nullptr, 0}};

bool readNumber(const char *text, uint64_t most, uint64_t &number) {
  char *end = nullptr;
  errno = 0;
  number = std::strtoull(text, &end, 10);
  return end != text && *end == '\0' && *text != '-' && errno == 0 &&
         number <= most;
}

bool canServeBy(const std::string &network) {
#if BLINK_HAVE_UCX
  if (network == "ucx")
    return true;
#endif
  return network == "sockets";
}

uint64_t randomSeed() {
  return std::random_device()(); // 32 bits are easier to type
}

} // namespace

std::vector<std::string> Options::argumentsFor(unsigned number,
                                               unsigned numCalls) const {
  std::vector<std::string> arguments{"--seed=" + std::to_string(seed),
                                     "--job=" + std::to_string(number),
                                     "--calls=" + std::to_string(numCalls)};
  if (mostBytes != Options().mostBytes)
    arguments.push_back("--max-bytes=" + std::to_string(mostBytes));
  if (!servers.empty())
    arguments.push_back("--servers=" + servers);
  return arguments;
}

bool parseOptions(int argc, char **argv, Options &options, int &exitCode) {
  options.seed = randomSeed();
  exitCode = 2;
  for (int letter, index = 0;
       (letter = getopt_long(argc, argv, "hv", kOptions, &index)) != -1;) {
    if (letter == '?')
      return false; // getopt has printed the error
    if (letter == 'v') {
      options.verbose = true;
      continue;
    }
    if (letter == 'h') {
      std::fputs(kHelp, stdout);
      exitCode = 0;
      return false;
    }
    if (letter == kServers) {
      options.servers = optarg;
      if (canServeBy(options.servers))
        continue;
      std::fprintf(stderr,
                   "storm: --servers: '%s' is neither \"sockets\" nor, in a "
                   "build with UCX, \"ucx\"\n",
                   optarg);
      return false;
    }
    uint64_t number = 0;
    const uint64_t most = letter == kSeed || letter == kCalls ? ~uint64_t(0)
                          : letter == kMember                 ? 7
                                                              : 1 << 30;
    if (!readNumber(optarg, most, number)) {
      std::fprintf(stderr, "storm: --%s: '%s' is no number up to %llu\n",
                   kOptions[index].name, optarg,
                   static_cast<unsigned long long>(most));
      return false;
    }
    switch (letter) {
    case kSeconds:
      options.seconds = double(number);
      break;
    case kCalls:
      options.calls = number;
      break;
    case kSeed:
      options.seed = number;
      break;
    case kJob:
      options.job = unsigned(number);
      break;
    case kMaxBytes:
      options.mostBytes = number;
      break;
    case kMember:
      options.member = int(number);
      break;
    }
  }
  if (optind == argc)
    return true;
  std::fprintf(stderr, "storm: '%s' is not an option; --help lists them\n",
               argv[optind]);
  return false;
}

} // namespace blink::storm
