//===- gloo.cpp - times Gloo ----------------------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
//   gloo ring|bcube RANKS COLLECTIVE FOLDER MOST_BYTES
//
// A process a rank, TCP over loopback. The processes find each other through
// files in FOLDER, which has to be empty. ring, Gloo's default, and bcube are
// algorithms of its allreduce; the other collectives do not heed them.
//
//===----------------------------------------------------------------------===//

#include "Bench.h"

#include <gloo/allgather.h>
#include <gloo/allreduce.h>
#include <gloo/broadcast.h>
#include <gloo/math.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/tcp/device.h>

#include <exception>
#include <memory>
#include <string>

namespace {

struct Settings {
  std::string algorithm;
  int ranks = 0;
  BenchCollective collective = benchAllReduce;
  const char *folder = nullptr;
  size_t most = 0;
  BenchShared *shared = nullptr;
};

struct Rank {
  const Settings *settings = nullptr;
  std::shared_ptr<gloo::rendezvous::Context> context;
};

int call(BenchJob *job) {
  auto &rank = *static_cast<Rank *>(job->self);
  float *send = job->send[0], *recv = job->recv[0];
  if (job->collective == benchAllReduce) {
    gloo::AllreduceOptions options(rank.context);
    options.setInput(send, job->count);
    options.setOutput(recv, job->count);
    void (*sum)(void *, const void *, const void *, size_t) = &gloo::sum<float>;
    options.setReduceFunction(sum);
    options.setAlgorithm(rank.settings->algorithm == "bcube"
                             ? gloo::AllreduceOptions::Algorithm::BCUBE
                             : gloo::AllreduceOptions::Algorithm::RING);
    gloo::allreduce(options);
  } else if (job->collective == benchBroadcast) {
    gloo::BroadcastOptions options(rank.context);
    options.setOutput(recv, job->count);
    options.setRoot(0);
    gloo::broadcast(options);
  } else {
    gloo::AllgatherOptions options(rank.context);
    options.setInput(send, job->part);
    options.setOutput(recv, job->count);
    gloo::allgather(options);
  }
  return 0;
}

void barrier(BenchJob *job) {
  pthread_barrier_wait(
      &static_cast<Rank *>(job->self)->settings->shared->barrier);
}

double largest(BenchJob *job, double mine) {
  return benchLargest(static_cast<Rank *>(job->self)->settings->shared,
                      job->ranks, job->first, mine);
}

int runProcess(int number, void *self) {
  const auto &settings = *static_cast<const Settings *>(self);
  try {
    gloo::transport::tcp::attr loopback("127.0.0.1");
    auto device = gloo::transport::tcp::CreateDevice(loopback);
    gloo::rendezvous::FileStore store(settings.folder);
    Rank rank{&settings, std::make_shared<gloo::rendezvous::Context>(
                             number, settings.ranks)};
    rank.context->connectFullMesh(store, device);

    std::string program = "gloo " + settings.algorithm;
    BenchJob job = {};
    job.program = program.c_str();
    job.collective = settings.collective;
    job.ranks = settings.ranks;
    job.first = number;
    job.driven = 1;
    job.self = &rank;
    job.call = call;
    job.barrier = barrier;
    job.largest = largest;
    if (benchRun(&job, settings.most))
      return 1;
    // Nobody closes a connection that another still uses.
    barrier(&job);
    return 0;
  } catch (const std::exception &error) {
    fprintf(stderr, "gloo: rank %d: %s\n", number, error.what());
    return 1;
  }
}

} // namespace

int main(int argc, char **argv) {
  Settings settings;
  if (argc == 6) {
    settings.algorithm = argv[1];
    settings.ranks = atoi(argv[2]);
    settings.folder = argv[4];
    settings.most = strtoull(argv[5], nullptr, 10);
  }
  bool known = settings.algorithm == "ring" || settings.algorithm == "bcube";
  if (!known || settings.ranks < 2 || settings.ranks > benchMaxRanks ||
      benchFind(argv[3], &settings.collective)) {
    fprintf(stderr, "usage: %s ring|bcube RANKS COLLECTIVE FOLDER MOST_BYTES\n",
            argv[0]);
    return 2;
  }
  settings.shared = benchShare(settings.ranks);
  if (!settings.shared) {
    fprintf(stderr, "gloo: no memory\n");
    return 1;
  }
  return benchFork(settings.ranks, runProcess, &settings);
}
