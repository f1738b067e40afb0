//===- CopyModel.cpp - streams of copies in virtual time ------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/cudadriver/CopyModel.h"

#include <algorithm>
#include <cmath>

using namespace blink::test;
using Work = CopyStream::Work;

/// The rate of a noisy resource changes after each period of this length.
static constexpr double kNoiseSeconds = 0.03;

double CopyModel::rateNow(const Resource &resource) const {
  const auto period = static_cast<unsigned>(now / kNoiseSeconds + 1e-9);
  return resource.isNoisy ? resource.rate / (1 + period * 2654435761u % 4)
                          : resource.rate;
}

void CopyModel::doAllThatTakesNoTime() {
  for (bool goesOn = true; goesOn;) {
    goesOn = false;
    for (CopyStream &stream : streams)
      while (!stream.queue.empty()) {
        const Work &work = stream.queue.front();
        if (work.kind == Work::copy ||
            (work.kind == Work::wait && work.event->isLeft()))
          break;
        if (work.kind == Work::record) {
          ++work.event->reached;
          work.event->when = now;
        }
        stream.queue.pop_front();
        goesOn = true;
      }
  }
}

void CopyModel::advance(double longest) {
  doAllThatTakesNoTime();
  std::vector<Work *> copies;
  for (CopyStream &stream : streams)
    if (!stream.queue.empty() && stream.queue.front().kind == Work::copy)
      copies.push_back(&stream.queue.front());
  if (copies.empty()) {
    now += std::isfinite(longest) ? longest : 0;
    return;
  }
  // The resource with the smallest fair share is filled first.
  std::map<std::string, double> left;
  for (const auto &[name, resource] : resources)
    left[name] = rateNow(resource);
  std::map<Work *, double> rates;
  while (rates.size() < copies.size()) {
    std::map<std::string, int> users;
    for (Work *copy : copies)
      if (!rates.count(copy))
        for (const std::string &name : *copy->path)
          ++users[name];
    std::string narrowest;
    double share = INFINITY;
    for (const auto &[name, count] : users)
      if (left.at(name) / count < share) {
        share = left.at(name) / count;
        narrowest = name;
      }
    for (Work *copy : copies)
      if (!rates.count(copy) &&
          std::count(copy->path->begin(), copy->path->end(), narrowest)) {
        rates[copy] = share;
        for (const std::string &name : *copy->path)
          left.at(name) = std::max(left.at(name) - share, 0.0);
      }
  }
  double step = longest;
  for (auto [copy, rate] : rates)
    step = std::min(step, copy->bytes / rate);
  // Do not go beyond the moment when the noise changes.
  step = std::min(
      step, (std::floor(now / kNoiseSeconds + 1e-9) + 1) * kNoiseSeconds - now);
  now += step;
  for (CopyStream &stream : streams) {
    if (stream.queue.empty() || !rates.count(&stream.queue.front()))
      continue;
    Work &copy = stream.queue.front();
    copy.bytes -= rates.at(&copy) * step;
    if (copy.bytes < 1)
      stream.queue.pop_front();
  }
  doAllThatTakesNoTime();
}

void CopyModel::pass(double seconds) {
  for (const double end = now + seconds; now < end;)
    advance(end - now);
}

void CopyModel::drain() {
  for (double before = -1; before != now;) {
    before = now;
    advance();
  }
}
