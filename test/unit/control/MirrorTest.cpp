//===- MirrorTest.cpp - records copied to other servers -------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/job/control/Mirror.h"

#include "doctest/doctest.h"

using namespace blink::runtime;

namespace {

struct Records {
  uint64_t data = 0, call = 0, flag = 0;

  MirroredWords words() { return {{&data}, {&call}, {&flag}}; }
};

} // namespace

TEST_CASE("changes are told once, calls when they stand") {
  Records own, copy;
  MirroredState state;
  const auto tell = [&] {
    return MirroredState::write(state.changes(own.words(), false),
                                copy.words());
  };
  own.call = 1;
  CHECK(tell());
  CHECK(copy.call == 0); // it is still on its way to 2, 3, ...
  CHECK(tell());
  CHECK(copy.call == 1);
  own.data = 7;
  CHECK(tell());
  CHECK(copy.data == 7);
  CHECK(state.changes(own.words(), true).empty());
}

TEST_CASE("who leaves has made the calls before") {
  Records own, copy;
  MirroredState state;
  own.call = 3;
  own.flag = 1;
  CHECK(MirroredState::write(state.changes(own.words(), false), copy.words()));
  CHECK(copy.flag == 1);
  CHECK(copy.call == 3);
}

TEST_CASE("what is no change is refused") {
  Records copy;
  CHECK_FALSE(MirroredState::write("odd", copy.words()));
  Records own;
  own.flag = 1;
  MirroredState state;
  const std::string change = state.changes(own.words(), true);
  CHECK_FALSE(MirroredState::write(change, MirroredWords()));
  CHECK(MirroredState::write(change, copy.words()));
}

TEST_CASE("a word that is zero again is told to those who missed it") {
  Records own, copy, late;
  MirroredState state, hub;
  own.data = 5;
  own.flag = 1;
  const std::string first = state.changes(own.words(), true);
  CHECK(MirroredState::write(first, copy.words()));
  CHECK(MirroredState::write(first, late.words()));
  own.data = 0;
  own.flag = 2;
  (void)state.changes(own.words(), true); // the hub ended before it heard this
  state.repeat();
  const std::string again = state.changes(own.words(), true);
  CHECK(MirroredState::write(again, copy.words()));
  CHECK(copy.data == 0);
  CHECK(copy.flag == 2);
  CHECK(hub.take(again));
  CHECK(MirroredState::write(hub.whole(), late.words()));
  CHECK(late.data == 0);
  CHECK(late.flag == 2);
  CHECK(state.changes(own.words(), true).empty());
}
