//===- FoldTrace.cpp - what BLINK_TRACE has written -----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/blink-perf/FoldTrace.h"

#include "nlohmann/json.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace blink::perf {

TraceFolder::TraceFolder() {
  const char *folder = std::getenv("TMPDIR");
  path_ = std::string(folder && *folder ? folder : "/tmp") +
          "/blink-calibrate-XXXXXX";
  if (!mkdtemp(path_.data()))
    throw std::runtime_error(path_ + ": cannot make this folder for traces: " +
                             std::strerror(errno));
  setenv("BLINK_TRACE", (path_ + "/%p.json").c_str(), 1);
}

TraceFolder::~TraceFolder() {
  unsetenv("BLINK_TRACE");
  std::error_code ignored; // what is left is in the folder for such things
  std::filesystem::remove_all(path_, ignored);
}

FoldTrace TraceFolder::read() const {
  FoldTrace trace;
  for (const auto &entry : std::filesystem::directory_iterator(path_)) {
    std::ifstream file(entry.path());
    const nlohmann::json json = nlohmann::json::parse(file, nullptr, false);
    if (json.is_discarded())
      throw std::runtime_error(entry.path().string() +
                               ": the trace is cut off");
    for (const nlohmann::json &event : json.at("traceEvents")) {
      TracedFold fold{};
      fold.begin = event.at("ts");
      fold.end = fold.begin + event.at("dur").get<double>();
      fold.waited = event.at("args").at("waited_us");
      fold.bytes = event.at("args").at("bytes");
      fold.moved = event.at("args").at("moved");
      unsigned long long chunk = 0;
      const std::string name = event.at("name");
      if (std::sscanf(name.c_str(), "step %u chunk %llu", &fold.step, &chunk) !=
          2)
        throw std::runtime_error(entry.path().string() +
                                 ": a slice without step and chunk");
      fold.chunk = chunk;
      trace[{event.at("pid"), event.at("tid")}].push_back(fold);
    }
  }
  return trace;
}

} // namespace blink::perf
