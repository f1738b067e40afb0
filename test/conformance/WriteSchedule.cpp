//===- WriteSchedule.cpp - a .sched file without the compiler -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// For tests of programs that open files, and for jobs with more ranks than a
// test has time to compile for:
//
//   blink_write_schedule FILE                  an allreduce over 8 ranks
//   blink_write_schedule FILE RANKS SERVERS    over ranks of several servers
//
//===----------------------------------------------------------------------===//

#include "test/common/Cluster.h"

#include <cstdio>
#include <cstdlib>

using namespace blink::test;

int main(int argc, char **argv) {
  if (argc != 2 && argc != 4)
    return 2;
  const int ranks = argc == 4 ? std::atoi(argv[2]) : 8;
  const int servers = argc == 4 ? std::atoi(argv[3]) : 1;
  if (servers < 1 || ranks < servers || ranks % servers != 0)
    return 2;
  BuildOptions options;
  options.treesPerBlock = servers == 1 ? 3 : 1;
  options.chunkBytes = 64 << 10;
  TestSchedule schedule =
      makeSchedule(Collective::allreduce, 0, ranks, options);
  std::vector<int> serverOf;
  for (int rank = 0; rank < ranks; ++rank)
    serverOf.push_back(rank / (ranks / servers));
  if (servers != 1)
    spread(schedule, serverOf);
  const std::vector<uint8_t> bytes = seal(schedule);
  std::FILE *file = std::fopen(argv[1], "wb");
  if (!file)
    return 1;
  bool ok = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  return std::fclose(file) == 0 && ok ? 0 : 1;
}
