//===- ScheduleFuzzer.cpp - any bytes as a schedule -----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Covers unpacking, the loader and, if it accepts the file, the verifier on the
// file in full. The verifier runs on small files only, since its time grows
// faster than the file.
//
//===----------------------------------------------------------------------===//

#include "compiler/verify/Verify.h"
#include "schedules/ExpandSchedule.h"
#include "schedules/PackedSchedule.h"
#include "test/fuzz/FuzzTarget.h"

#include <string>
#include <vector>

using namespace blink;
using test::require;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::vector<uint8_t> bytes(data, data + size); // aligned
  std::string error;
  if (sched::isPacked(bytes.data(), bytes.size())) {
    bytes = sched::unpackSchedule(bytes.data(), bytes.size(), error);
    require(bytes.empty() == !error.empty(), "an error if there is no file");
    if (bytes.empty() || bytes.size() > 1 << 20)
      return 0;
  }
  if (sched::isSymmetric(bytes.data(), bytes.size())) {
    const sched::Schedule *form =
        sched::openAnySchedule(bytes.data(), bytes.size(), error);
    require((form == nullptr) == !error.empty(), "an error if there is none");
    if (!form)
      return 0;
    std::vector<uint8_t> full = sched::expandSchedule(*form, error);
    require(full.empty() == !error.empty(), "an error if it is too large");
    if (full.empty() || full.size() > 1 << 20)
      return 0;
    bytes = std::move(full);
    require(sched::openSchedule(bytes.data(), bytes.size(), error) != nullptr,
            "an expansion keeps the rules");
  }
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
