//===- Picture.cpp - what the ranks of a job do ---------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/flight/Picture.h"

#include "schedules/Text.h"

#include <algorithm>

namespace blink::runtime {

std::string CallPicture::describe() const {
  if (!isMessage())
    return kind.describe();
  return textOf(kind.describe(), send ? " to rank " : " from rank ", peer);
}

const CallPicture *RankPicture::call(uint64_t number) const {
  const auto place = std::lower_bound(
      calls.begin(), calls.end(), number,
      [](const CallPicture &a, uint64_t b) { return a.number < b; });
  return place != calls.end() && place->number == number ? &*place : nullptr;
}

const CallPicture *RankPicture::current() const {
  return !calls.empty() && calls.back().underWay() ? &calls.back() : nullptr;
}

const CallPicture *RankPicture::launchedCollective() const {
  const auto first =
      std::find_if(launched.begin(), launched.end(),
                   [](const CallPicture &call) { return !call.isMessage(); });
  return first != launched.end() ? &*first : nullptr;
}

bool RankPicture::inCall() const {
  return current() || !waits.empty() ||
         std::any_of(sent.begin(), sent.end(),
                     [](const CallPicture &call) { return call.underWay(); });
}

} // namespace blink::runtime
