//===- CheckJUnit.cpp - results of a check as JUnit XML -------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Writes the dialect that GitLab, Jenkins and GitHub's actions read.
//
//===----------------------------------------------------------------------===//

#include "compiler/render/CheckReport.h"

#include "schedules/Collectives.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace blink;

/// Escapes text for XML, attributes included. Characters that XML 1.0 cannot
/// represent become blanks.
static std::string escapeXml(llvm::StringRef text) {
  std::string plain = text.str();
  for (char &symbol : plain)
    if (static_cast<unsigned char>(symbol) < ' ' && symbol != '\n')
      symbol = ' ';
  std::string escaped;
  llvm::raw_string_ostream out(escaped);
  llvm::printHTMLEscaped(plain, out);
  return escaped;
}

namespace {
struct Case {
  std::string name;
  std::vector<std::string> failures;
  std::vector<std::string> notes;
};
} // namespace

/// Returns a case for the proof, one for each collective, and one for the
/// findings about no collective.
static std::vector<Case> casesOf(const MachineResult &result) {
  std::vector<Case> cases{{"proof", result.problems, {}}};
  for (Collective collective : sched::kJointCollectives) {
    cases.push_back({toString(collective).str(), {}, {}});
    for (const Finding &finding : result.findings)
      if (finding.program && finding.program->collective == collective) {
        std::string line = finding.subject + ": " + finding.words;
        if (finding.severity == Severity::worse)
          cases.back().failures.push_back(line);
        else
          cases.back().notes.push_back(toString(finding.severity).str() + ": " +
                                       line);
      }
  }
  cases.push_back({"bundle", {}, {}});
  if (result.isNew)
    cases.back().notes.push_back("new: there was no golden summary");
  for (const Finding &finding : result.findings)
    if (!finding.program)
      cases.back().notes.push_back(finding.subject + ": " + finding.words);
  return cases;
}

static std::string toXml(const Case &one, const std::string &machine,
                         double seconds) {
  std::string xml =
      llvm::formatv("    <testcase classname=\"blink.{0}\" name=\"{1}\" "
                    "time=\"{2:F3}\">\n",
                    escapeXml(machine), one.name, seconds)
          .str();
  if (!one.failures.empty())
    xml += "      <failure message=\"" + escapeXml(one.failures.front()) +
           "\">" + escapeXml(llvm::join(one.failures, "\n")) + "</failure>\n";
  if (!one.notes.empty())
    xml += "      <system-out>" + escapeXml(llvm::join(one.notes, "\n")) +
           "</system-out>\n";
  return xml + "    </testcase>\n";
}

std::string blink::toJUnit(const std::vector<MachineResult> &results) {
  std::string suites;
  size_t tests = 0, failures = 0;
  double seconds = 0;
  for (const MachineResult &result : results) {
    std::string body;
    size_t failed = 0;
    std::vector<Case> cases = casesOf(result);
    for (const Case &one : cases) {
      // The whole time is that of compiling and proving.
      body +=
          toXml(one, result.name, &one == &cases.front() ? result.seconds : 0);
      failed += one.failures.empty() ? 0 : 1;
    }
    suites += llvm::formatv("  <testsuite name=\"{0}\" tests=\"{1}\" "
                            "failures=\"{2}\" errors=\"0\" time=\"{3:F3}\">\n",
                            escapeXml(result.name), cases.size(), failed,
                            result.seconds)
                  .str() +
              body + "  </testsuite>\n";
    tests += cases.size();
    failures += failed;
    seconds += result.seconds;
  }
  return llvm::formatv("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                       "<testsuites name=\"blinkc check\" tests=\"{0}\" "
                       "failures=\"{1}\" errors=\"0\" time=\"{2:F3}\">\n",
                       tests, failures, seconds)
             .str() +
         suites + "</testsuites>\n";
}
