//===- CopyModel.h - streams of copies in virtual time ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A machine of resources with rates, which concurrent copies share max-min
// fairly. Time is virtual: it advances to an event when a program asks whether
// the event has been reached, and a little with each call that queues work.
// Results are therefore the same on every machine, and a program that measures
// the time of a call instead of that of a copy measures nonsense.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_CUDADRIVER_COPYMODEL_H
#define BLINK_TEST_CUDADRIVER_COPYMODEL_H

#include <cmath>
#include <deque>
#include <list>
#include <map>
#include <string>
#include <vector>

namespace blink::test {

struct Resource {
  double rate; ///< bytes a second
  bool isNoisy;
};

struct CopyEvent {
  int device;
  int asked = 0, reached = 0; ///< number of records
  double when = 0;            ///< seconds; time of the last one reached
  bool isLeft() const { return reached < asked; }
};

struct CopyStream {
  struct Work {
    enum Kind { copy, record, wait } kind;
    const std::vector<std::string> *path; ///< for a copy: its resources
    double bytes;
    CopyEvent *event;
  };
  int device;
  std::deque<Work> queue;
};

struct CopyModel {
  /// Advances to the next change, but by at most `longest` seconds.
  void advance(double longest = INFINITY);
  /// Advances by `seconds`.
  void pass(double seconds);
  /// Advances until no work remains or no work can go on.
  void drain();

  std::map<std::string, Resource> resources;
  /// By the two ends, such as "gpu0" and "cpu1".
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> paths;
  std::list<CopyStream> streams;
  double now = 0;

private:
  void doAllThatTakesNoTime();
  double rateNow(const Resource &resource) const;
};

} // namespace blink::test

#endif // BLINK_TEST_CUDADRIVER_COPYMODEL_H
