//===- Stopwatch.h - how long a command has taken ---------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TOOLS_BLINKC_STOPWATCH_H
#define BLINK_TOOLS_BLINKC_STOPWATCH_H

#include <chrono>

namespace blink {

class Stopwatch {
public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         start_)
        .count();
  }

private:
  std::chrono::steady_clock::time_point start_ =
      std::chrono::steady_clock::now();
};

} // namespace blink

#endif // BLINK_TOOLS_BLINKC_STOPWATCH_H
