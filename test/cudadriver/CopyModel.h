//===- CopyModel.h - streams of copies in virtual time ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A machine of resources with rates, which copies that are under way at once
// share evenly (max-min fair). Time is virtual: it goes on when somebody asks
// whether an event has been reached, to where it is, and a little with each
// call that puts something into a queue. So results are the same on every
// machine, and who takes the time of a call for that of a copy measures
// nonsense.
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
  int asked = 0, reached = 0; ///< records of it
  double when = 0;            ///< seconds, of the last one reached
  bool isLeft() const { return reached < asked; }
};

struct CopyStream {
  struct Work {
    enum Kind { copy, record, wait } kind;
    const std::vector<std::string> *path; ///< of a copy: its resources
    double bytes;
    CopyEvent *event;
  };
  int device;
  std::deque<Work> queue;
};

struct CopyModel {
  /// Goes on to the next change, or for so long.
  void advance(double longest = INFINITY);
  /// Goes on for so long.
  void pass(double seconds);
  /// Goes on until nothing is left to do, or nothing can go on.
  void drain();

  std::map<std::string, Resource> resources;
  /// By ends, "gpu0" or "cpu1".
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> paths;
  std::list<CopyStream> streams;
  double now = 0;

private:
  void doAllThatTakesNoTime();
  double rateNow(const Resource &resource) const;
};

} // namespace blink::test

#endif // BLINK_TEST_CUDADRIVER_COPYMODEL_H
