//===- PlainNotes.cpp - what no format can express ------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "compiler/export/PlainNotes.h"

using namespace blink;

std::vector<std::string> blink::plainNotes(const sched::Program &program) {
  std::vector<std::string> notes;
  if (program.variants()->size() > 1)
    notes.push_back("of the schedule's variants, the one for the largest "
                    "messages is written");
  if (program.accumulate() != sched::Accumulation::none)
    notes.push_back("partial sums of 16 and 8 bits are rounded at each rank; "
                    "the schedule has them as float32");
  return notes;
}
