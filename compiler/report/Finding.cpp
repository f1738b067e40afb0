//===- Finding.cpp - one thing that changed between schedules -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/report/Finding.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <cassert>
#include <cmath>

using namespace blink;

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
  static constexpr llvm::StringLiteral kWords[] = {"worse", "better",
                                                   "different"};
  return kWords[static_cast<size_t>(severity)];
}

/// In the order of the enum.
static constexpr std::pair<Aspect, llvm::StringLiteral> kAspectKeys[] = {
    {Aspect::program, "program"},
    {Aspect::rate, "algbw_gbps"},
    {Aspect::time, "predicted_us"},
    {Aspect::machine, "topology"},
    {Aspect::node, "node"},
    {Aspect::link, "link"},
    {Aspect::linkBandwidth, "bandwidth_gbps"},
    {Aspect::linkLatency, "link_latency_us"},
    {Aspect::fingerprint, "fingerprint"},
    {Aspect::linkKinds, "links"},
    {Aspect::linksRate, "links_gbps"},
    {Aspect::bound, "bound_gbps"},
    {Aspect::percentOfBound, "percent_of_bound"},
    {Aspect::variant, "variant"},
    {Aspect::sizes, "max_bytes"},
    {Aspect::protocol, "protocol"},
    {Aspect::start, "start_us"},
    {Aspect::latency, "latency_us"},
    {Aspect::depth, "depth"},
    {Aspect::hops, "hops"},
    {Aspect::lanes, "lanes"},
    {Aspect::channels, "channels"},
    {Aspect::trees, "trees"},
    {Aspect::chunkBytes, "chunk_bytes"},
    {Aspect::leastChunkBytes, "least_chunk_bytes"},
    {Aspect::leastChunks, "least_chunks"},
    {Aspect::steps, "steps"},
    {Aspect::content, "content"},
    {Aspect::classes, "classes"},
    {Aspect::order, "order"},
    {Aspect::compiler, "compiler"},
    {Aspect::options, "options"},
    {Aspect::file, "file"},
};
static_assert(std::size(kAspectKeys) == static_cast<size_t>(Aspect::file) + 1);

llvm::StringRef blink::toString(Aspect aspect) {
  const auto &[same, key] = kAspectKeys[static_cast<size_t>(aspect)];
  assert(same == aspect);
  return key;
}

std::tuple<Severity, Aspect, int> Finding::group() const {
  return {severity, aspect,
          program ? static_cast<int>(program->collective) : -1};
}

size_t blink::countOf(llvm::ArrayRef<Finding> findings, Severity severity) {
  return llvm::count_if(findings, [&](const Finding &finding) {
    return finding.severity == severity;
  });
}

void Comparison::add(Aspect aspect, std::string subject, std::string words,
                     FindingValue before, FindingValue after) {
  findings_.push_back({Severity::different, aspect, std::move(subject),
                       std::move(words), std::move(before), std::move(after)});
}

void Comparison::addChange(Aspect aspect, std::string subject,
                           llvm::StringRef what, const std::string &before,
                           const std::string &after) {
  if (before != after)
    add(aspect, std::move(subject),
        (what + " " + before + " -> " + after).str(), before, after);
}

void Comparison::addOf(const ProgramKey &key, Severity severity, Aspect aspect,
                       std::string words, FindingValue before,
                       FindingValue after) {
  findings_.push_back({severity, aspect, key.title(), std::move(words),
                       std::move(before), std::move(after), key});
}

Severity blink::severityOf(double before, double after, bool moreIsBetter,
                           double tolerance) {
  if (std::abs(after - before) <= tolerance * before)
    return Severity::different;
  return (after > before) == moreIsBetter ? Severity::better : Severity::worse;
}

std::string blink::formatCounts(llvm::StringRef what, int before, int after) {
  return llvm::formatv("{0} {1} -> {2}", what, before, after);
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
  return llvm::formatv("{0}", llvm::format_hex(hash, 18));
}
