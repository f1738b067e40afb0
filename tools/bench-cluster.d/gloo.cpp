//===- gloo.cpp - times Gloo ----------------------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//   gloo ring|bcube FOLDER COLLECTIVE BYTES:WARMUP:CALLS...
//
// Runs a rank of tools/cluster-lab. Ranks find each other through files in
// FOLDER, which must be empty. ring, Gloo's default, and bcube are algorithms
// of its allreduce; the other collectives ignore them. Gloo uses one NIC.
//
//===----------------------------------------------------------------------===//

#include "Rival.h"

#include <gloo/allgather.h>
#include <gloo/allreduce.h>
#include <gloo/barrier.h>
#include <gloo/broadcast.h>
#include <gloo/math.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/tcp/device.h>

#include <memory>

namespace {

std::string environment(const char *name) {
  const char *text = std::getenv(name);
  if (!text)
    throw std::runtime_error(std::string(name) +
                             " is not set; run it in tools/cluster-lab");
  return text;
}

class Gloo : public blink::rival::Rival {
public:
  Gloo(bool bcube, const std::string &folder) : bcube_(bcube) {
    rank = std::atoi(environment("RANK").c_str());
    ranks = std::atoi(environment("WORLD_SIZE").c_str());
    gloo::transport::tcp::attr here(environment("BLINK_LAB_ADDRESS").c_str());
    auto device = gloo::transport::tcp::CreateDevice(here);
    gloo::rendezvous::FileStore store(folder);
    context_ = std::make_shared<gloo::rendezvous::Context>(rank, ranks);
    context_->connectFullMesh(store, device);
  }

  void call() override {
    using blink::rival::Collective;
    if (collective == Collective::allreduce) {
      gloo::AllreduceOptions options(context_);
      options.setInput(send.data(), count);
      options.setOutput(recv.data(), count);
      void (*add)(void *, const void *, const void *, size_t) =
          &gloo::sum<float>;
      options.setReduceFunction(add);
      using Algorithm = gloo::AllreduceOptions::Algorithm;
      options.setAlgorithm(bcube_ ? Algorithm::BCUBE : Algorithm::RING);
      gloo::allreduce(options);
    } else if (collective == Collective::broadcast) {
      gloo::BroadcastOptions options(context_);
      options.setOutput(recv.data(), count);
      options.setRoot(0);
      gloo::broadcast(options);
    } else {
      gloo::AllgatherOptions options(context_);
      options.setInput(send.data(), part);
      options.setOutput(recv.data(), count);
      gloo::allgather(options);
    }
  }

  void barrier() override {
    gloo::BarrierOptions options(context_);
    gloo::barrier(options);
  }
  double largest(double mine) override {
    const std::vector<double> all = gathered(mine);
    return *std::max_element(all.begin(), all.end());
  }
  double sum(double mine) override {
    double sum = 0;
    for (double one : gathered(mine))
      sum += one;
    return sum;
  }

private:
  std::vector<double> gathered(double mine) {
    std::vector<double> all(static_cast<size_t>(ranks));
    gloo::AllgatherOptions options(context_);
    options.setInput(&mine, 1);
    options.setOutput(all.data(), all.size());
    gloo::allgather(options);
    return all;
  }

  bool bcube_;
  std::shared_ptr<gloo::rendezvous::Context> context_;
};

} // namespace

int main(int argc, char **argv) {
  try {
    if (argc < 5)
      throw std::runtime_error("usage: gloo ring|bcube FOLDER COLLECTIVE "
                               "BYTES:WARMUP:CALLS...");
    Gloo gloo(std::strcmp(argv[1], "bcube") == 0, argv[2]);
    gloo.run(argv[3], {argv + 4, argv + argc});
    gloo.barrier(); // keeps connections open until all are done
    return 0;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "gloo: %s\n", error.what());
    return 1;
  }
}
