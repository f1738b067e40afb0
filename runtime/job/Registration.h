//===- Registration.h - all ranks register a buffer -------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A registered buffer (blinkCommRegister) has one number on all ranks, and all
// of them have it or none. How others reach it is the back end's.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_JOB_REGISTRATION_H
#define BLINK_RUNTIME_JOB_REGISTRATION_H

#include "runtime/job/Job.h"

namespace blink::runtime {

/// Buffers that a rank can have registered.
inline constexpr uint32_t kMaxTogether = 16;

/// A registration, when its ranks are through with it.
struct Registration {
  uint32_t number = kMaxTogether; ///< of the buffer
  /// Success, or what one rank says that could not offer its buffer or reach
  /// the others', whichever has failed first by number: the same on all ranks.
  /// Or, of all: there are kMaxTogether already.
  Status outcome;
};

/// Registers a buffer of rank `self`, which has told the others what they need
/// to reach it, or `offered` why not. `used`: bit n is set if number n is in
/// use here. `open` reaches the others' buffers as that number. Returns when
/// all ranks have opened; the job has failed if that is an error.
Status registerTogether(Job &job, int self, uint32_t used,
                        const Status &offered,
                        const std::function<Status(uint32_t number)> &open,
                        Registration &registration);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_REGISTRATION_H
