//===- Options.cpp - options of the performance test ----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/nccl-programs/Options.h"

#include "test/nccl-programs/Collectives.h"

#include <cstdio>
#include <cstdlib>
#include <getopt.h>
#include <sstream>

namespace perf {
namespace {

std::vector<std::string> split(const std::string &list) {
  std::vector<std::string> words;
  std::istringstream from(list);
  for (std::string word; std::getline(from, word, ',');)
    words.push_back(word);
  return words;
}

/// Chooses the members of `all` that a comma-separated list names, or all of
/// them for "all". Returns false if it does not know a name.
template <typename Named>
bool choose(const std::string &list, const std::vector<Named> &all,
            std::vector<Named> &chosen) {
  chosen.clear();
  for (const std::string &word : split(list)) {
    const size_t before = chosen.size();
    for (const Named &one : all)
      if (word == "all" || word == one.name)
        chosen.push_back(one);
    if (chosen.size() == before) {
      std::fprintf(stderr, "there is no '%s'\n", word.c_str());
      return false;
    }
  }
  return true;
}

/// Returns the number of bytes in a text like "64K".
size_t bytesOf(const char *text) {
  char *end = nullptr;
  size_t number = std::strtoull(text, &end, 10);
  for (const char unit : {'K', 'M', 'G'}) {
    if (*end == '\0')
      break;
    number <<= 10;
    if (*end == unit)
      break;
  }
  return number;
}

} // namespace

bool parse(int argc, char **argv, Options &options) {
  std::string collectives = "all_reduce", types = "float", ops = "sum";
  for (int letter;
       (letter = getopt(argc, argv, "c:d:o:r:b:e:f:t:g:n:w:G:R:p:")) != -1;)
    switch (letter) {
    case 'c':
      collectives = optarg;
      break;
    case 'd':
      types = optarg;
      break;
    case 'o':
      ops = optarg;
      break;
    case 'r':
      options.root = std::atoi(optarg);
      break;
    case 'b':
      options.minBytes = bytesOf(optarg);
      break;
    case 'e':
      options.maxBytes = bytesOf(optarg);
      break;
    case 'f':
      options.factor = bytesOf(optarg);
      break;
    case 't':
      options.threads = std::atoi(optarg);
      break;
    case 'g':
      options.gpus = std::atoi(optarg);
      break;
    case 'n':
      options.iterations = std::atoi(optarg);
      break;
    case 'w':
      options.warmup = std::atoi(optarg);
      break;
    case 'G':
      options.graphs = std::atoi(optarg);
      break;
    case 'R':
      options.registration = std::atoi(optarg);
      break;
    case 'p':
      options.parallelInit = std::atoi(optarg) != 0;
      break;
    default:
      return false;
    }
  std::vector<Collective> chosen;
  if (!choose(collectives, perf::collectives(), chosen) ||
      !choose(types, perf::types(), options.chosenTypes) ||
      !choose(ops, perf::ops(), options.chosenOps))
    return false;
  options.collectives.clear();
  for (const Collective &one : chosen)
    options.collectives.emplace_back(one.name);
  options.maxBytes = std::max(options.maxBytes, options.minBytes);
  const int ranks = options.threads * options.gpus;
  if (options.threads < 1 || options.gpus < 1 || options.factor < 2 ||
      optind != argc || options.root < -1 || options.root >= ranks) {
    std::fprintf(stderr,
                 "usage: %s [-c COLLECTIVES] [-d TYPES] [-o OPS] [-r ROOT] "
                 "[-b BYTES] [-e BYTES] [-f FACTOR] [-t THREADS] [-g GPUS] "
                 "[-n CALLS] [-w CALLS] [-G LAUNCHES] [-R 0|1|2] [-p 0|1]\n",
                 argv[0]);
    return false;
  }
  return true;
}

} // namespace perf
