//===- VerifySupport.cpp - schedules to judge, and ways to break them -----===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/unit/verify/VerifySupport.h"

#include "doctest/doctest.h"

namespace blink::test {

VerifyReport judge(const TestSchedule &schedule) {
  const OpenedSchedule opened(schedule);
  VerifyOptions options;
  options.times = true;
  return verifyProgram(*opened.file, opened.program(), options);
}

std::string failures(const VerifyReport &report) {
  std::string names;
  for (const Check &check : report.checks)
    if (!check.ok)
      names += (names.empty() ? "" : " ") + check.name;
  CHECK(report.ok == names.empty());
  return names;
}

std::string detailOf(const VerifyReport &report, const std::string &name) {
  for (const Check &check : report.checks)
    if (check.name == name)
      return check.detail;
  FAIL("no check is called " << name);
  return "";
}

TestSchedule emptySchedule(Collective collective, int numRanks) {
  TestSchedule schedule = makeSchedule(collective, 0, numRanks, {});
  TestVariant &variant = schedule.variant();
  variant.channels.clear();
  variant.paths.clear();
  for (TestRank &rank : variant.ranks)
    rank = {};
  return schedule;
}

uint32_t addChannel(TestSchedule &schedule, int source, int destination) {
  TestVariant &variant = schedule.variant();
  TestChannel channel;
  channel.pathBegin = uint32_t(variant.paths.size());
  channel.pathCount = 1;
  channel.source = uint16_t(source);
  channel.destination = uint16_t(destination);
  for (uint32_t link = 0; link < schedule.links.size(); ++link)
    if (schedule.links[link].from == uint32_t(source) &&
        schedule.links[link].to == uint32_t(destination))
      variant.paths.push_back(link);
  variant.channels.push_back(channel);
  return uint32_t(variant.channels.size() - 1);
}

void settleRates(TestSchedule &schedule) {
  const VerifyReport report = judge(schedule);
  schedule.programs[0].algbw = report.links;
  schedule.programs[0].bound = report.bound;
}

TestSchedule exchange(bool inOneLane) {
  TestSchedule schedule = emptySchedule(Collective::allreduce, 2);
  const uint32_t there = addChannel(schedule, 0, 1);
  const uint32_t back = addChannel(schedule, 1, 0);
  TestVariant &variant = schedule.variant();
  const TestFold send0{0, {input()}, {channel(there)}, false};
  const TestFold send1{0, {input()}, {channel(back)}, false};
  const TestFold add0{0, {input(), channel(back)}, {output()}, true};
  const TestFold add1{0, {channel(there), input()}, {output()}, true};
  if (inOneLane)
    variant.ranks = {rankOf({{send0, add0}}), rankOf({{send1, add1}})};
  else
    variant.ranks = {rankOf({{add0}, {send0}}), rankOf({{add1}, {send1}})};
  settleRates(schedule);
  return schedule;
}

} // namespace blink::test
