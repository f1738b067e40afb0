//===- Collectives.cpp - NCCL's collectives and their results -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/nccl-programs/Collectives.h"

#include <cstdio>
#include <unistd.h>

namespace perf {
namespace {

using Bits = std::optional<uint64_t>;

const char *part(const void *buffer, const Call &call, int number) {
  return static_cast<const char *>(buffer) +
         size_t(number) * call.count * call.typeBytes;
}
char *part(void *buffer, const Call &call, int number) {
  return static_cast<char *>(buffer) +
         size_t(number) * call.count * call.typeBytes;
}

/// Makes the sends and receives of one rank in a group.
template <typename Body> ncclResult_t inGroup(Body body) {
  ncclResult_t result = ncclGroupStart();
  if (result == ncclSuccess)
    result = body();
  const ncclResult_t end = ncclGroupEnd();
  return result == ncclSuccess ? end : result;
}
ncclResult_t sendTo(const Call &call, const void *from, int peer) {
  return ncclSend(from, call.count, call.type, peer, call.comm, call.stream);
}
ncclResult_t receiveFrom(const Call &call, void *to, int peer) {
  return ncclRecv(to, call.count, call.type, peer, call.comm, call.stream);
}

double whole(int) { return 1; }
double allButOne(int ranks) { return double(ranks - 1) / ranks; }

} // namespace

const std::vector<Collective> &collectives() {
  static const std::vector<Collective> all = {
      {"all_reduce", true, false, true, false, false,
       [](const Call &c) {
         return ncclAllReduce(c.send, c.recv, c.count, c.type, c.op, c.comm,
                              c.stream);
       },
       [](const Input &in, int, int, size_t, size_t i) {
         return Bits(in.reduced(i));
       },
       [](int ranks) { return 2 * allButOne(ranks); }},
      {"reduce", true, true, true, false, false,
       [](const Call &c) {
         return ncclReduce(c.send, c.recv, c.count, c.type, c.op, c.root,
                           c.comm, c.stream);
       },
       [](const Input &in, int rank, int root, size_t, size_t i) {
         return rank == root ? Bits(in.reduced(i)) : Bits();
       },
       whole},
      {"reduce_scatter", true, false, true, true, false,
       [](const Call &c) {
         return ncclReduceScatter(c.send, c.recv, c.count, c.type, c.op, c.comm,
                                  c.stream);
       },
       [](const Input &in, int rank, int, size_t count, size_t i) {
         return Bits(in.reduced(size_t(rank) * count + i));
       },
       allButOne},
      {"broadcast", false, true, true, false, false,
       [](const Call &c) {
         return ncclBroadcast(c.send, c.recv, c.count, c.type, c.root, c.comm,
                              c.stream);
       },
       [](const Input &in, int, int root, size_t, size_t i) {
         return Bits(in.at(root, i));
       },
       whole},
      {"all_gather", false, false, true, false, true,
       [](const Call &c) {
         return ncclAllGather(c.send, c.recv, c.count, c.type, c.comm,
                              c.stream);
       },
       [](const Input &in, int, int, size_t count, size_t i) {
         return Bits(in.at(int(i / count), i % count));
       },
       allButOne},
      {"alltoall", false, false, false, true, true,
       [](const Call &c) {
         return ncclAlltoAll(c.send, c.recv, c.count, c.type, c.comm, c.stream);
       },
       [](const Input &in, int rank, int, size_t count, size_t i) {
         return Bits(in.at(int(i / count), size_t(rank) * count + i % count));
       },
       allButOne},
      {"gather", false, true, true, false, true,
       [](const Call &c) {
         return ncclGather(c.send, c.recv, c.count, c.type, c.root, c.comm,
                           c.stream);
       },
       [](const Input &in, int rank, int root, size_t count, size_t i) {
         return rank == root ? Bits(in.at(int(i / count), i % count)) : Bits();
       },
       allButOne},
      {"scatter", false, true, true, true, false,
       [](const Call &c) {
         return ncclScatter(c.send, c.recv, c.count, c.type, c.root, c.comm,
                            c.stream);
       },
       [](const Input &in, int rank, int root, size_t count, size_t i) {
         return Bits(in.at(root, size_t(rank) * count + i));
       },
       allButOne},
      // Made of messages, as in nccl-tests.
      {"sendrecv", false, false, false, false, false,
       [](const Call &c) {
         return inGroup([&] {
           const ncclResult_t sent = sendTo(c, c.send, (c.rank + 1) % c.ranks);
           return sent == ncclSuccess
                      ? receiveFrom(c, c.recv, (c.rank + c.ranks - 1) % c.ranks)
                      : sent;
         });
       },
       [](const Input &in, int rank, int, size_t, size_t i) {
         return Bits(in.at((rank + in.ranks - 1) % in.ranks, i));
       },
       whole},
      {"alltoall_messages", false, false, false, true, true,
       [](const Call &c) {
         return inGroup([&] {
           ncclResult_t result = ncclSuccess;
           for (int peer = 0; peer < c.ranks && result == ncclSuccess; ++peer) {
             result = sendTo(c, part(c.send, c, peer), peer);
             if (result == ncclSuccess)
               result = receiveFrom(c, part(c.recv, c, peer), peer);
           }
           return result;
         });
       },
       [](const Input &in, int rank, int, size_t count, size_t i) {
         return Bits(in.at(int(i / count), size_t(rank) * count + i % count));
       },
       allButOne}};
  return all;
}

void die(const char *what, const char *words, const char *file, int line) {
  std::fprintf(stderr, "%s:%d: %s: %s\n", file, line, what, words);
  std::fflush(nullptr);
  _exit(2); // exit() might wait for other threads forever
}

} // namespace perf
