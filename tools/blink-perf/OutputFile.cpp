//===- OutputFile.cpp - files for results ---------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blink-perf/OutputFile.h"

#include "tools/blink-perf/Options.h"

#include <cstdio>
#include <stdexcept>

namespace blink::perf {

void writeFile(const std::string &path, const std::string &text,
               sched::FileAccess access) {
  std::fflush(stdout); // the file may be standard output
  sched::WholeFile file;
  int error = file.open(path, access);
  if (error == 0)
    error = file.write(text.data(), text.size());
  if (error == 0)
    error = file.keep();
  if (error != 0)
    throw std::runtime_error(sched::cannotWrite(path, file.target(), error));
}

void checkWritable(const std::string &path) {
  if (path == "-")
    throw UsageError("-: standard output has the table, so write this to a "
                     "file");
  std::string target;
  if (const int error = sched::whyNotWritable(path, target))
    throw UsageError(sched::cannotWrite(path, target, error));
}

} // namespace blink::perf
