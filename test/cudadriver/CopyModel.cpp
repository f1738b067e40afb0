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

/// Noisy resources have another rate in each of these.
static constexpr double kNoiseSeconds = 0.03;

double CopyModel::rateNow(const Resource &resource) const {
  const auto period = static_cast<unsigned>(now / kNoiseSeconds + 1e-9);
  return resource.isNoisy ? resource.rate / (1 + period * 2654435761u % 4)
                          : resource.rate;
}

bool CopyModel::doAllThatTakesNoTime() {
  bool any = false;
  for (bool goesOn = true; goesOn; any |= goesOn) {
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
  return any;
}

void CopyModel::advance() {
  if (doAllThatTakesNoTime())
    return;
  std::vector<Work *> copies;
  for (CopyStream &stream : streams)
    if (!stream.queue.empty() && stream.queue.front().kind == Work::copy)
      copies.push_back(&stream.queue.front());
  if (copies.empty())
    return;
  // The resource that leaves its copies the least is filled first.
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
  double step = INFINITY;
  for (auto [copy, rate] : rates)
    step = std::min(step, copy->bytes / rate);
  // No further than to where the noise changes.
  const double next =
      (std::floor(now / kNoiseSeconds + 1e-9) + 1) * kNoiseSeconds;
  const bool isCut = next - now < step;
  step = std::min(step, next - now);
  now += step;
  for (CopyStream &stream : streams) {
    if (stream.queue.empty() || !rates.count(&stream.queue.front()))
      continue;
    Work &copy = stream.queue.front();
    copy.bytes -= rates.at(&copy) * step;
    if (copy.bytes < 1 && !(isCut && copy.bytes > 0))
      stream.queue.pop_front();
  }
}

void CopyModel::drain() {
  auto length = [&] {
    size_t sum = 0;
    for (const CopyStream &stream : streams)
      sum += stream.queue.size();
    return sum;
  };
  for (double before = -1; length() != 0 && before != now;) {
    before = now;
    advance();
    if (doAllThatTakesNoTime())
      before = -1;
  }
}
