//===- Finding.cpp - one thing that changed between schedules -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/report/Finding.h"

#include "compiler/topology/AllocationList.h"
#include "schedules/ScheduleFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace blink;

ProgramKey ProgramKey::of(const sched::Program &program) {
  ProgramKey key;
  key.collective = program.collective();
  if (sched::isRooted(program.collective()))
    key.root = program.root();
  key.gpus.assign(program.allocation()->begin(), program.allocation()->end());
  if (program.relays())
    key.relays.assign(program.relays()->begin(), program.relays()->end());
  return key;
}

ProgramKey ProgramKey::of(const Summary &summary) {
  return {summary.collective, summary.root, summary.gpus, summary.relays};
}

std::string ProgramKey::title() const {
  std::string title =
      llvm::formatv("{0} on {1} {2}", formatCollective(collective, root),
                    gpus.size() == 1 ? "GPU" : "GPUs", formatGpus(gpus))
          .str();
  return relays.empty() ? title : title + " with relays " + formatGpus(relays);
}

double Finding::change() const {
  auto number = [](const FindingValue &value) -> std::optional<double> {
    if (const auto *integer = std::get_if<uint64_t>(&value))
      return static_cast<double>(*integer);
    if (const auto *real = std::get_if<double>(&value))
      return *real;
    return std::nullopt;
  };
  std::optional<double> from = number(before), to = number(after);
  if (!from || !to || *from == *to)
    return 0;
  return (*to - *from) / *from; // infinite when it was 0
}

llvm::StringRef blink::toString(Severity severity) {
  switch (severity) {
  case Severity::worse:
    return "worse";
  case Severity::better:
    return "better";
  case Severity::different:
    return "different";
  }
  llvm_unreachable("enum outside its cases");
}

llvm::StringRef blink::toString(Aspect aspect) {
  switch (aspect) {
  case Aspect::program:
    return "program";
  case Aspect::rate:
    return "algbw_gbps";
  case Aspect::time:
    return "predicted_us";
  case Aspect::machine:
    return "topology";
  case Aspect::node:
    return "node";
  case Aspect::link:
    return "link";
  case Aspect::linkBandwidth:
    return "bandwidth_gbps";
  case Aspect::linkLatency:
    return "link_latency_us";
  case Aspect::fingerprint:
    return "fingerprint";
  case Aspect::linkKinds:
    return "links";
  case Aspect::linksRate:
    return "links_gbps";
  case Aspect::bound:
    return "bound_gbps";
  case Aspect::percentOfBound:
    return "percent_of_bound";
  case Aspect::variant:
    return "variant";
  case Aspect::sizes:
    return "max_bytes";
  case Aspect::protocol:
    return "protocol";
  case Aspect::start:
    return "start_us";
  case Aspect::latency:
    return "latency_us";
  case Aspect::depth:
    return "depth";
  case Aspect::hops:
    return "hops";
  case Aspect::lanes:
    return "lanes";
  case Aspect::channels:
    return "channels";
  case Aspect::trees:
    return "trees";
  case Aspect::chunkBytes:
    return "chunk_bytes";
  case Aspect::steps:
    return "steps";
  case Aspect::content:
    return "content";
  case Aspect::classes:
    return "classes";
  case Aspect::order:
    return "order";
  case Aspect::compiler:
    return "compiler";
  case Aspect::options:
    return "options";
  case Aspect::file:
    return "file";
  }
  llvm_unreachable("enum outside its cases");
}

std::tuple<Severity, Aspect, int> Finding::group() const {
  return {severity, aspect,
          program ? static_cast<int>(program->collective) : -1};
}

void blink::sortFindings(std::vector<Finding> &findings) {
  llvm::stable_sort(findings, [](const Finding &a, const Finding &b) {
    auto left = a.group(), right = b.group();
    if (left != right)
      return left < right;
    return std::abs(a.change()) > std::abs(b.change());
  });
}

static std::string formatNumber(const char *format, int digits, double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format(format, digits, value);
  return text;
}

/// Both numbers in as few digits as show them, and that they differ.
static std::pair<std::string, std::string>
formatBoth(double before, double after, int decimals) {
  auto both = [&](const char *format, int digits) {
    return std::pair(formatNumber(format, digits, before),
                     formatNumber(format, digits, after));
  };
  auto isTiny = [](double value) {
    return value != 0 && std::abs(value) < 0.1;
  };
  auto plain = both("%.*f", decimals);
  if (plain.first != plain.second && !isTiny(before) && !isTiny(after))
    return plain;
  auto significant = both("%.*g", 4);
  if (significant.first != significant.second)
    return significant;
  return both("%.*g", 12);
}

std::string blink::formatChange(llvm::StringRef what, double before,
                                double after, int decimals,
                                llvm::StringRef unit) {
  auto [from, to] = formatBoth(before, after, decimals);
  std::string text =
      llvm::formatv("{0} {1} -> {2} {3}", what, from, to, unit).str();
  if (before == 0)
    return text;
  double percent = 100 * (after - before) / before;
  const char *format = std::abs(percent) < 0.05 ? "%+.*g" : "%+.*f";
  return text + " (" + formatNumber(format, 1, percent) + " %)";
}

std::string blink::formatHash(uint64_t hash) {
  return llvm::formatv("{0}", llvm::format_hex(hash, 18)).str();
}
