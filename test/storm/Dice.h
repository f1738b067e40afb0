//===- Dice.h - random choices that follow from a seed ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A generator and the kinds of choices that the storm needs. The standard
// defines the generator's numbers but not those of its distributions, so the
// distributions are not used: a seed means the same everywhere.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_STORM_DICE_H
#define BLINK_TEST_STORM_DICE_H

#include <cstdint>
#include <initializer_list>
#include <random>
#include <vector>

namespace blink::storm {

class Dice {
public:
  /// Seeds the generator from the run's seed and the purpose of the choices.
  Dice(uint64_t seed, std::initializer_list<uint64_t> purpose) {
    std::vector<uint32_t> words{uint32_t(seed), uint32_t(seed >> 32)};
    for (uint64_t number : purpose)
      words.push_back(uint32_t(number));
    std::seed_seq sequence(words.begin(), words.end());
    generator_.seed(sequence);
  }

  /// Returns a number from 0 to n - 1; n must not be 0.
  uint64_t below(uint64_t n) { return generator_() % n; }
  uint64_t between(uint64_t least, uint64_t most) {
    return least + below(most - least + 1);
  }
  bool chance(unsigned percent) { return below(100) < percent; }
  /// Returns a number from 0 to `most`. It is chosen below a power of two, and
  /// each such power is equally likely, so that small numbers are not rare.
  uint64_t skewed(uint64_t most) {
    unsigned bits = 0;
    while (bits < 63 && most >> bits != 0)
      ++bits;
    const uint64_t limit = (uint64_t(1) << below(bits + 1)) - 1;
    return below((limit < most ? limit : most) + 1);
  }
  template <typename List> const auto &pick(const List &list) {
    return list[below(std::size(list))];
  }
  template <typename T> const T &pick(std::initializer_list<T> list) {
    return list.begin()[below(list.size())];
  }
  template <typename List> void shuffle(List &list) {
    for (size_t i = list.size(); i > 1; --i)
      std::swap(list[i - 1], list[below(i)]);
  }

private:
  std::mt19937_64 generator_;
};

/// Purposes of dice, so that no two dice have the same numbers.
enum Purpose : uint64_t { ofJob, ofSequence, ofDriver, ofRank, ofDelays };

} // namespace blink::storm

#endif // BLINK_TEST_STORM_DICE_H
