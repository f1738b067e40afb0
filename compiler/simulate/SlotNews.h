//===- SlotNews.h - news of free slots --------------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_COMPILER_SIMULATE_SLOTNEWS_H
#define BLINK_COMPILER_SIMULATE_SLOTNEWS_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace blink {

/// The news of free slots on its way to the writer of a channel, first in,
/// first out. Most news arrives while the writer waits for something else, and
/// is counted when the writer looks. Such news is no event, but keeps the
/// number that it would have among events (EventQueue.h), so that a writer that
/// looks at the same time sees what it would have seen with events.
class SlotNews {
public:
  struct News {
    double time;
    uint64_t number; ///< place among events at the same time

    bool operator<(const News &other) const {
      return time != other.time ? time < other.time : number < other.number;
    }
  };

  /// `slots`: the most news that is on its way at a time.
  explicit SlotNews(size_t slots) : ring_(slots) {}

  bool empty() const { return count_ == 0; }
  void push(News news) {
    ring_[(first_ + count_) % ring_.size()] = news;
    ++count_;
  }
  News pop() {
    const News news = ring_[first_];
    first_ = (first_ + 1) % ring_.size();
    --count_;
    return news;
  }
  /// Removes the news that arrives before the event `now`, and returns how much
  /// it is.
  uint64_t popBefore(const News &now) {
    uint64_t come = 0;
    for (; count_ > 0 && ring_[first_] < now; ++come)
      pop();
    return come;
  }

private:
  std::vector<News> ring_;
  size_t first_ = 0, count_ = 0;
};

} // namespace blink

#endif // BLINK_COMPILER_SIMULATE_SLOTNEWS_H
