//===- ScheduleFuzzer.cpp - any bytes as a schedule -----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The loader and, of what it takes, the verifier: of small files, as its time
// grows faster than the file.
//
//===----------------------------------------------------------------------===//

#include "compiler/verify/Verify.h"
#include "schedules/ScheduleFile.h"
#include "test/fuzz/FuzzTarget.h"

#include <string>
#include <vector>

using namespace blink;
using test::require;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::vector<uint8_t> bytes(data, data + size); // aligned
  std::string error;
  const sched::Schedule *file =
      sched::openSchedule(bytes.data(), bytes.size(), error);
  require((file == nullptr) == !error.empty(), "an error if there is no file");
  if (!file)
    return 0;
  VerifyOptions options;
  options.times = true;
  for (const sched::Program *program : *file->programs()) {
    const VerifyReport report = verifyProgram(*file, *program, options);
    for (const Check &check : report.checks)
      require(!check.detail.empty(), "every check says something");
    if (report.ok)
      paceOf(*file, *program);
  }
  return 0;
}
