//===- EventQueue.h - what happens next -------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_SIMULATE_EVENTQUEUE_H
#define BLINK_COMPILER_SIMULATE_EVENTQUEUE_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <tuple>
#include <vector>

namespace blink {

/// Events in the order of time. Of events at the same time the one that was
/// made first comes first, so that nothing depends on how the heap is kept.
template <typename Kind> class EventQueue {
public:
  struct Event {
    double time;
    uint64_t number;
    Kind kind;
    uint32_t index; ///< of the object to which it happens

    bool operator>(const Event &other) const {
      return std::tie(time, number) > std::tie(other.time, other.number);
    }
  };

  bool empty() const { return events_.empty(); }
  const Event &top() const { return events_.top(); }
  void push(double time, Kind kind, size_t index) {
    pushAs(nextNumber(), time, kind, index);
  }
  /// Returns a number for an event that may be pushed later as if it were
  /// pushed now.
  uint64_t nextNumber() { return numEvents_++; }
  void pushAs(uint64_t number, double time, Kind kind, size_t index) {
    events_.push({time, number, kind, uint32_t(index)});
  }
  Event pop() {
    const Event event = events_.top();
    events_.pop();
    return event;
  }

private:
  std::priority_queue<Event, std::vector<Event>, std::greater<Event>> events_;
  uint64_t numEvents_ = 0;
};

} // namespace blink

#endif // BLINK_COMPILER_SIMULATE_EVENTQUEUE_H
