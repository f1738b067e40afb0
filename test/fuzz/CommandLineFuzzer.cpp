//===- CommandLineFuzzer.cpp - any words as flags of `blinkc` -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Covers the flags that commands share: those of a request and of a job, sizes,
// tolerances and numbers of threads. Each line is one word; no command runs.
//
//===----------------------------------------------------------------------===//

#include "test/fuzz/FuzzTarget.h"
#include "tools/blinkc/Flags.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace blink;
using test::require;

/// Returns true if the words are valid.
static bool parse(CLI::App &app, std::vector<std::string> words) {
  std::reverse(words.begin(), words.end()); // in CLI11's order
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

namespace {

/// A command and the values that its flags set. Parsers are made once, since
/// that takes longer than many inputs; the values are reset before each input.
template <typename Values> class Command {
public:
  Command() { values_.addTo(app_); }
  /// Returns the values, or null if the words are not valid.
  const Values *parse(const std::vector<std::string> &words) {
    values_.reset();
    return ::parse(app_, words) ? &values_ : nullptr;
  }

private:
  CLI::App app_;
  Values values_;
};

struct CompileFlags {
  RequestFlags request;
  void addTo(CLI::App &app) { request.addTo(app); }
  void reset() { request = {}; }
};

struct SimulateFlags {
  JobFlags job;
  std::string input, costs;
  unsigned jobs = 0;
  double tolerance = 0;
  uint64_t bytes = 1;
  void addTo(CLI::App &app) {
    job.addTo(app);
    addInput(app, input);
    addCosts(app, costs);
    addJobs(app, jobs, "");
    addTolerance(app, "--tolerance", tolerance, "");
    addBytes(app, bytes, 1);
  }
  void reset() {
    job.collective = JobFlags().collective;
    job.rest = {};
    input.clear();
    costs.clear();
    jobs = 0;
    tolerance = 0;
    bytes = 1;
  }
};

} // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::vector<std::string> words;
  const llvm::StringRef text = test::textOfInput(data, size);
  for (llvm::StringRef line : llvm::split(text, '\n'))
    words.push_back(line.str());
  static Command<CompileFlags> compile;
  if (const CompileFlags *flags = compile.parse(words))
    readMeaning(flags->request.options());
  static Command<SimulateFlags> simulate;
  const SimulateFlags *flags = simulate.parse(words);
  if (!flags)
    return 0;
  readMeaning(flags->job.job());
  require(flags->jobs <= 1024 && flags->tolerance >= 0 &&
              flags->tolerance <= 1 && flags->bytes >= 1,
          "numbers are within their ranges");
  return 0;
}
