//===- FakeNccl.cpp - a libnccl that only counts --------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Stands in for the real library where the tests fall back to it. Stricter than
// the real one: it accepts only handles that it has made.
//
//===----------------------------------------------------------------------===//

#include <atomic>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <set>
#include <string>

namespace {

struct Id {
  char internal[128];
};

struct Comm {
  int nranks, rank;
};

std::mutex mutex;
std::set<Comm *> comms;
std::string calls; // names, each followed by a comma
int depth = 0;

void note(const char *name) {
  const std::lock_guard<std::mutex> lock(mutex);
  calls += std::string(name) + ",";
}

bool isComm(Comm *comm) {
  const std::lock_guard<std::mutex> lock(mutex);
  return comms.count(comm) != 0;
}

} // namespace

extern "C" {

/// Returns the calls since the last time.
const char *fakeCalls() {
  static std::string last;
  const std::lock_guard<std::mutex> lock(mutex);
  last.swap(calls);
  calls.clear();
  return last.c_str();
}

int ncclGetUniqueId(Id *id) {
  note("GetUniqueId");
  std::memset(id, 0, sizeof(*id));
  std::strcpy(id->internal, "fake");
  return 0;
}

int ncclCommInitRank(Comm **comm, int nranks, Id id, int rank) {
  note("CommInitRank");
  if (std::strcmp(id.internal, "fake") != 0)
    return 4;
  *comm = new Comm{nranks, rank};
  const std::lock_guard<std::mutex> lock(mutex);
  comms.insert(*comm);
  return 0;
}

int ncclCommInitAll(Comm **made, int nranks, const int *) {
  note("CommInitAll");
  const std::lock_guard<std::mutex> lock(mutex);
  for (int rank = 0; rank < nranks; ++rank)
    comms.insert(made[rank] = new Comm{nranks, rank});
  return 0;
}

int ncclCommDestroy(Comm *comm) {
  note("CommDestroy");
  const std::lock_guard<std::mutex> lock(mutex);
  if (comms.erase(comm) == 0)
    return 4;
  delete comm;
  return 0;
}

int ncclCommAbort(Comm *comm) { return ncclCommDestroy(comm); }

int ncclCommUserRank(Comm *comm, int *rank) {
  if (!isComm(comm))
    return 4;
  *rank = comm->rank;
  return 0;
}

int ncclCommCount(Comm *comm, int *count) {
  if (!isComm(comm))
    return 4;
  *count = comm->nranks;
  return 0;
}

int ncclCommSplit(Comm *comm, int color, int, Comm **made, void *) {
  note("CommSplit");
  if (!isComm(comm))
    return 4;
  if (color < 0)
    return 0;
  *made = new Comm{1, 0};
  const std::lock_guard<std::mutex> lock(mutex);
  comms.insert(*made);
  return 0;
}

int ncclAllReduce(const void *, void *, size_t, int, int, Comm *comm, void *) {
  note(depth ? "AllReduce in a group" : "AllReduce");
  return isComm(comm) ? 0 : 4;
}

int ncclGroupStart() {
  ++depth;
  return 0;
}

int ncclGroupEnd() { return --depth < 0 ? 5 : 0; }

struct SimInfo {
  size_t size;
  unsigned magic, version;
  float estimatedTime;
};

int ncclGroupSimulateEnd(SimInfo *info) {
  if (info->size != sizeof(SimInfo) || info->magic != 0x74685283)
    return 4;
  info->estimatedTime = 42;
  return ncclGroupEnd();
}

const char *ncclGetLastError(Comm *comm) {
  return isComm(comm) ? "the fake library's" : "";
}

} // extern "C"
