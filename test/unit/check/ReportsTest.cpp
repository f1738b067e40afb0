//===- ReportsTest.cpp - findings of a check in three forms ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/render/CheckReport.h"

#include "test/common/Contains.h"
#include "test/unit/check/SmallGolden.h"

#include "doctest/doctest.h"

using namespace blink;
using namespace blink::test;

static MachineResult resultOf(const char *name) {
  MachineResult result;
  result.name = name;
  result.now = smallGolden();
  return result;
}

static Finding findingOf(Severity severity) {
  ProgramKey key{Collective::broadcast, 0, {0, 1}, {}};
  return {severity, Aspect::rate, key.title(), "a|b <&> \"c\" \x01",
          1.0,      2.0,          key};
}

TEST_CASE("the verdict is the most important thing") {
  MachineResult result = resultOf("m");
  CHECK((result.verdict() == Verdict::good));
  result.findings = {findingOf(Severity::different)};
  CHECK((result.verdict() == Verdict::different));
  result.findings.insert(result.findings.begin(), findingOf(Severity::better));
  CHECK((result.verdict() == Verdict::better));
  result.findings.insert(result.findings.begin(), findingOf(Severity::worse));
  CHECK((result.verdict() == Verdict::worse));
  result.isNew = true;
  CHECK((result.verdict() == Verdict::isNew));
  result.problems = {"p"};
  CHECK((result.verdict() == Verdict::wrong));
}

TEST_CASE("machines that are wrong are spoken of first") {
  std::vector<MachineResult> results{resultOf("good"), resultOf("worse"),
                                     resultOf("wrong")};
  results[1].findings = {findingOf(Severity::worse)};
  results[2].problems = {"no proof"};
  std::string text = toText(results, {});
  CHECK(text.find("\nwrong: WRONG\n  no proof\n") <
        text.find("\nworse: WORSE\n"));
  CHECK(contains(text, "\n1 wrong, 1 worse, 1 good of 3 machine types. A rate "
                       "more than 0.1 % lower, or a predicted time more than 1 "
                       "% longer, is worse.\n"));
  CHECK(contains(text, "machine  allocations  classes  programs"));
  CHECK(contains(text, "\ngood              10        3         3"));
}

TEST_CASE("Markdown has cells that end where they should") {
  std::vector<MachineResult> results{resultOf("a|b_c")};
  results[0].findings = {findingOf(Severity::better)};
  std::string text = toMarkdown(results, {0.02, 0.5});
  CHECK(contains(text, "\n| a\\|b\\_c | 10 | 3 | 3 | 100.00 | 0.00 | 0 | 1 | "
                       "0 | better |\n"));
  CHECK(contains(text, "- broadcast from rank 0 on GPUs 0,1: better: a\\|b "
                       "\\<\\&\\> \"c\"  \n"));
  CHECK(contains(text, "more than 2 % lower"));
  CHECK(contains(text, "more than 50 % longer"));
}

TEST_CASE("JUnit counts cases, fails those that are worse, and escapes") {
  std::vector<MachineResult> results{resultOf("a"), resultOf("<b>")};
  results[0].findings = {findingOf(Severity::worse),
                         findingOf(Severity::different)};
  results[1].problems = {"first", "second"};
  std::string text = toJUnit(results);
  CHECK(contains(text, "<testsuites name=\"blinkc check\" tests=\"20\" "
                       "failures=\"2\" errors=\"0\""));
  CHECK(contains(text, "<testsuite name=\"a\" tests=\"10\" failures=\"1\""));
  CHECK(contains(text, "<testsuite name=\"&lt;b&gt;\""));
  CHECK(contains(text, "<failure message=\"first\">first\nsecond</failure>"));
  CHECK(contains(text, "<failure message=\"broadcast from rank 0 on GPUs 0,1: "
                       "a|b &lt;&amp;&gt; &quot;c&quot;  \">"));
  CHECK(contains(text, "<system-out>different: broadcast from rank 0"));
  CHECK(!contains(text, "\x01"));
}
