//===- gloo.cpp - times Gloo ----------------------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
//   gloo ring|bcube RANKS COLLECTIVE FOLDER MOST_BYTES
//
// There is one process per rank, and TCP over loopback. The processes find each
// other through files in FOLDER, which must be empty. ring, Gloo's default, and
// bcube are algorithms of its allreduce; the other collectives ignore them.
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

namespace {

struct Rank {
  bool bcube = false; ///< the algorithm of allreduce; false: ring
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
    options.setAlgorithm(rank.bcube ? gloo::AllreduceOptions::Algorithm::BCUBE
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

int runProcess(int number, const BenchCall *called) {
  try {
    gloo::transport::tcp::attr loopback("127.0.0.1");
    auto device = gloo::transport::tcp::CreateDevice(loopback);
    gloo::rendezvous::FileStore store(called->place);
    Rank rank{
        strcmp(called->variant, "bcube") == 0,
        std::make_shared<gloo::rendezvous::Context>(number, called->ranks)};
    rank.context->connectFullMesh(store, device);

    BenchJob job = {};
    job.self = &rank;
    job.call = call;
    if (benchDrive(called, &job, number, 1))
      return 1;
    // Keeps connections open until all ranks are done.
    benchMeet(&job);
    return 0;
  } catch (const std::exception &error) {
    fprintf(stderr, "gloo: rank %d: %s\n", number, error.what());
    return 1;
  }
}

} // namespace

int main(int argc, char **argv) {
  const char *const variants[] = {"ring", "bcube", nullptr};
  BenchCall called;
  if (int code = benchRead(argc, argv, "gloo", variants,
                           "ring|bcube RANKS COLLECTIVE FOLDER", &called))
    return code;
  return benchFork(&called, runProcess);
}
