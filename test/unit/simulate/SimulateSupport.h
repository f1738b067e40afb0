//===- SimulateSupport.h - programs to simulate, made by hand ---*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_UNIT_SIMULATE_SIMULATESUPPORT_H
#define BLINK_TEST_UNIT_SIMULATE_SIMULATESUPPORT_H

#include "compiler/target/FoldProgramFile.h"
#include "test/common/OpenedSchedule.h"

#include <vector>

namespace blink::test {

/// Returns ranks with a lane for each fold, and links with these GB/s and 1 us.
inline FoldProgram programOf(int numRanks, std::vector<double> bandwidths) {
  FoldProgram program;
  program.collective = sched::Collective::broadcast;
  program.numRanks = numRanks;
  program.ranks.resize(size_t(numRanks));
  program.trees.resize(1);
  program.trees[0].share = 1;
  for (double bandwidth : bandwidths)
    program.links.push_back({bandwidth, 1});
  return program;
}

inline void addLanes(FoldProgram &program) {
  for (FoldProgram::Rank &rank : program.ranks)
    for (size_t fold = 0; fold < rank.folds.size(); ++fold)
      rank.lanes.push_back({fold});
}

inline int channel(FoldProgram &program, int from, int to,
                   std::vector<int> path, int slots) {
  const int number =
      program.addChannel(0, from, to, sched::ChannelKind::peer, path);
  program.channels[size_t(number)].slots = slots;
  return number;
}

/// Returns the chain 0 -> 1 -> 2 over links of 10 and 5 GB/s.
inline FoldProgram chain(int slots) {
  FoldProgram program = programOf(3, {10, 5});
  const int first = channel(program, 0, 1, {0}, slots);
  const int second = channel(program, 1, 2, {1}, slots);
  program.addFold(0, 0, false, {FoldProgram::Operand::input()},
                  {FoldProgram::Operand::channel(first)});
  program.addFold(
      1, 0, false, {FoldProgram::Operand::channel(first)},
      {FoldProgram::Operand::output(), FoldProgram::Operand::channel(second)});
  program.addFold(2, 0, false, {FoldProgram::Operand::channel(second)},
                  {FoldProgram::Operand::output()});
  addLanes(program);
  return program;
}

/// One of many schedules (variedSchedule), and the folds of its first variant.
/// Its chunks are large compared with 64 bytes. May have windows.
struct VariedProgram {
  VariedProgram(sched::Collective collective, int variation,
                std::mt19937 &random, bool windows = false,
                sched::Protocol protocol = sched::Protocol::simple)
      : opened(scheduleOf(collective, variation, random, windows, protocol)),
        program(opened.program()), variant(*program.variants()->Get(0)),
        folds(readProgram(*opened.file, program, variant)) {}

  static TestSchedule scheduleOf(sched::Collective collective, int variation,
                                 std::mt19937 &random, bool windows,
                                 sched::Protocol protocol) {
    TestSchedule schedule =
        variedSchedule(collective, variation, 64 << 10, random);
    schedule.variant().protocol = protocol;
    std::mt19937 own(static_cast<unsigned>(variation));
    if (windows)
      addWindows(schedule, own);
    return schedule;
  }

  OpenedSchedule opened;
  const sched::Program &program;
  const sched::Variant &variant;
  FoldProgram folds;
};

} // namespace blink::test

#endif // BLINK_TEST_UNIT_SIMULATE_SIMULATESUPPORT_H
