//===- CommandLineFuzzer.cpp - any words as flags of `blinkc` -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// What commands have in common: the flags of a request, of a job, sizes,
// tolerances and numbers of threads. One word a line; no command runs.
//
//===----------------------------------------------------------------------===//

#include "test/fuzz/FuzzTarget.h"
#include "tools/blinkc/Flags.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace blink;
using test::require;

/// Whether the words are right.
static bool parse(CLI::App &app, std::vector<std::string> words) {
  std::reverse(words.begin(), words.end()); // as CLI11 wants them
  try {
    app.parse(std::move(words));
    return true;
  } catch (const CLI::ParseError &) {
    return false;
  }
}

template <typename T> static void readMeaning(llvm::Expected<T> meaning) {
  if (!meaning)
    require(!llvm::toString(meaning.takeError()).empty(),
            "an error says what is wrong");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::vector<std::string> words;
  const llvm::StringRef text = test::textOfInput(data, size);
  for (llvm::StringRef line : llvm::split(text, '\n'))
    words.push_back(line.str());
  RequestFlags request;
  CLI::App compile;
  request.addTo(compile);
  if (parse(compile, words))
    readMeaning(request.options());

  JobFlags job;
  CLI::App simulate;
  std::string input, costs;
  unsigned jobs = 0;
  double tolerance = 0;
  uint64_t bytes = 0;
  job.addTo(simulate);
  addInput(simulate, input);
  addCosts(simulate, costs);
  addJobs(simulate, jobs, "");
  addTolerance(simulate, "--tolerance", tolerance, "");
  addBytes(simulate, bytes, 1);
  if (!parse(simulate, words))
    return 0;
  readMeaning(job.job());
  require(jobs <= 1024 && tolerance >= 0 && tolerance <= 1 && bytes >= 1,
          "numbers are within their ranges");
  return 0;
}
