//===- Json.cpp - results as JSON -----------------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// By hand: the program is built with the runtime alone, which has no JSON.
//
//===----------------------------------------------------------------------===//

#include "tools/blink-perf/Json.h"

#include "tools/blink-perf/Job.h"
#include "tools/replay/Samples.h"

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <sys/stat.h>
#include <unistd.h>

namespace blink::perf {
std::string quote(const std::string &text) {
  std::string quoted = "\"";
  for (const char character : text) {
    if (character == '"' || character == '\\')
      quoted += '\\';
    if (static_cast<unsigned char>(character) >= 0x20) {
      quoted += character;
    } else {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", unsigned(character));
      quoted += code;
    }
  }
  return quoted + "\"";
}

std::string number(double value) {
  if (!std::isfinite(value))
    return "null";
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

std::string list(const std::vector<int> &numbers) {
  return "[" + joined(numbers) + "]";
}

namespace {

std::string formatMeasure(const Options &options, const Case &c,
                          const Measure &measure) {
  return "{\"time_us\": " + number(measure.seconds * 1e6) +
         ", \"algbw_gbps\": " + number(measure.algbw(c)) +
         ", \"busbw_gbps\": " + number(measure.busbw(c)) + ", \"wrong\": " +
         (options.check ? std::to_string(measure.wrong) : "null") + "}";
}

std::string formatRow(const Options &options, const Row &row) {
  const Case &c = row.c;
  const bool bounded = std::isfinite(c.bound);
  return std::string("    {\"collective\": ") +
         quote(sched::EnumNameCollective(c.collective)) +
         ", \"bytes\": " + std::to_string(c.bytes()) +
         ", \"count\": " + std::to_string(c.count) +
         ", \"type\": " + quote(blink::nameOf(c.type)) +
         ", \"op\": " + quote(c.reduces() ? blink::nameOf(c.op) : "none") +
         ", \"root\": " + std::to_string(c.hasRoot() ? c.root : -1) +
         ",\n     \"out_of_place\": " + formatMeasure(options, c, row.out) +
         ",\n     \"in_place\": " +
         (c.hasInPlace() ? formatMeasure(options, c, row.in) : "null") +
         (options.selfTest
              ? ",\n     \"channels\": " + std::to_string(c.channels) +
                    ", \"channels_with_data\": " + std::to_string(c.carrying)
              : "") +
         ",\n     \"bound_gbps\": " + number(c.bound) +
         ", \"percent_of_bound\": " +
         (bounded ? number(row.percentOfBound()) : "null") + "}";
}

} // namespace

std::string formatJson(const Options &options, const Plan &plan,
                       const Summary &summary) {
  std::string text =
      "{\n  \"version\": " + quote(BLINK_VERSION_STRING) +
      ",\n  \"backend\": " + quote(nameOf(options.backend)) +
      ",\n  \"mode\": " + quote(nameOf(options.mode)) +
      ",\n  \"ranks\": " + std::to_string(plan.numPrograms) +
      ",\n  \"gpus\": " + (plan.gpus.empty() ? "null" : list(plan.gpus)) +
      ",\n  \"self_test\": " + (options.selfTest ? "true" : "false") +
      ",\n  \"iterations\": " + std::to_string(options.iterations) +
      ",\n  \"graph_launches\": " + std::to_string(options.graphLaunches) +
      ",\n  \"local_register\": " + (options.registers ? "true" : "false") +
      ",\n  \"results\": [";
  for (size_t i = 0; i < summary.rows.size(); ++i)
    text += (i == 0 ? "\n" : ",\n") + formatRow(options, summary.rows[i]);
  text += "\n  ],\n  \"wrong\": " + std::to_string(summary.wrong());
  if (options.selfTest) {
    text += ",\n  \"channels\": " + std::to_string(plan.numChannels) +
            ",\n  \"channels_with_data\": " +
            std::to_string(summary.carryingChannels()) +
            ",\n  \"seconds\": " + number(summary.seconds);
  }
  text += std::string(",\n  \"ok\": ") + (summary.ok() ? "true" : "false");
  if (!summary.error.empty())
    text += ",\n  \"error\": " + quote(summary.error);
  return text + "\n}\n";
}

void writeFile(const std::string &path, const std::string &text) {
  struct stat status;
  const bool inPlace = stat(path.c_str(), &status) == 0 &&
                       !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
  std::string temporary = path + ".XXXXXX";
  const int fd = inPlace ? open(path.c_str(), O_WRONLY | O_CLOEXEC)
                         : mkstemp(temporary.data());
  const auto refuse = [&](int error) {
    if (fd != -1 && !inPlace)
      unlink(temporary.c_str());
    throw std::runtime_error(path + ": cannot write: " + std::strerror(error));
  };
  if (fd == -1)
    refuse(errno);
  if (!inPlace)
    fchmod(fd, 0644); // mkstemp's are for the owner alone
  std::FILE *file = fdopen(fd, "w");
  const bool wrote =
      file && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  int error = errno;
  if (file && std::fclose(file) != 0 && wrote)
    refuse(errno);
  if (!wrote)
    refuse(error);
  if (!inPlace && std::rename(temporary.c_str(), path.c_str()) != 0)
    refuse(errno);
}

} // namespace blink::perf
