//===- PreMulSumTest.cpp - sums of multiplied contributions ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Sums with a scalar per rank have the bits of sums of inputs that were
// multiplied beforehand, on every rank and however chunks move: no rank sees an
// unscaled input.
//
//===----------------------------------------------------------------------===//

#include "test/conformance/Elements.h"
#include "test/conformance/Job.h"

#include "doctest/doctest.h"

#if BLINK_TEST_CUDA
#include <cuda_runtime_api.h>
#endif

#include <algorithm>
#include <cstring>
#include <deque>
#include <random>

using namespace blink;
using namespace blink::test;

namespace {

using Bits = std::vector<uint64_t>;

/// Returns any bits for integers, otherwise fractions that no type holds
/// exactly.
uint64_t roughBits(blinkDataType_t type, std::mt19937 &random) {
  if (!isFloat(type)) {
    unsigned char bytes[8];
    for (unsigned char &byte : bytes)
      byte = static_cast<unsigned char>(random());
    return loadBits(type, bytes, 0);
  }
  return encode(type, (int(random() % 2001) - 1000) / 125.0 *
                          (random() % 2 ? 1 : 1.0 / 64));
}

/// Multiplies smaller types in float32 and rounds to the type.
uint64_t productBits(blinkDataType_t type, uint64_t a, uint64_t b) {
  if (!isFloat(type)) {
    const uint64_t product = a * b; // little endian
    return loadBits(type, &product, 0);
  }
  const double x = decode(type, a), y = decode(type, b);
  return encode(type,
                type == blinkFloat64 ? x * y : double(float(x) * float(y)));
}

/// The place of a rank's scalar, aligned to an element and no more.
class ScalarPlace {
public:
  explicit ScalarPlace(blinkDataType_t type) : type_(type) {
#if BLINK_TEST_CUDA
    void *memory = nullptr;
    REQUIRE(cudaMalloc(&memory, sizeof(bytes_)) == cudaSuccess);
    there_ = static_cast<char *>(memory);
#endif
  }
  ~ScalarPlace() {
#if BLINK_TEST_CUDA
    cudaFree(there_);
#endif
  }
  ScalarPlace(const ScalarPlace &) = delete;

  void set(uint64_t bits) {
    storeBits(type_, bytes_, 1, bits);
#if BLINK_TEST_CUDA
    REQUIRE(cudaMemcpy(there_, bytes_, sizeof(bytes_),
                       cudaMemcpyHostToDevice) == cudaSuccess);
#endif
  }
  const void *onHost() const { return bytes_ + bytesOf(type_); }
  const void *onDevice() const {
    return (kOnCuda ? there_ : bytes_) + bytesOf(type_);
  }

private:
  blinkDataType_t type_;
  alignas(8) char bytes_[16] = {};
  char *there_ = nullptr;
};

/// One operator for each rank.
class Operators {
public:
  Operators(const Job &job, blinkDataType_t type, bool onDevice,
            const Bits &scalars)
      : job_(job) {
    for (int rank = 0; rank < job.size(); ++rank) {
      useDeviceOf(rank);
      places_.emplace_back(type).set(scalars[size_t(rank)]);
      const ScalarPlace &place = places_.back();
      blinkRedOp_t op = blinkSum;
      REQUIRE(blinkRedOpCreatePreMulSum(
                  &op, onDevice ? place.onDevice() : place.onHost(), type,
                  onDevice ? blinkScalarDevice : blinkScalarHostImmediate,
                  job[rank]) == blinkSuccess);
      numbers_.push_back(op);
      if (!onDevice) // the host's scalar has been read already
        places_.back().set(~scalars[size_t(rank)]);
    }
  }
  ~Operators() {
    for (int rank = 0; rank < job_.size(); ++rank)
      CHECK(blinkRedOpDestroy(numbers_[size_t(rank)], job_[rank]) ==
            blinkSuccess);
  }
  blinkRedOp_t operator[](int rank) const { return numbers_[size_t(rank)]; }
  ScalarPlace &place(int rank) { return places_[size_t(rank)]; }

private:
  const Job &job_;
  std::deque<ScalarPlace> places_;
  std::vector<blinkRedOp_t> numbers_;
};

/// The buffers of all ranks.
class Data {
public:
  Data(const Job &job, const Case &c, const std::vector<Bits> &inputs)
      : job_(job), c_(c) {
    for (int rank = 0; rank < job.size(); ++rank) {
      useDeviceOf(rank);
      buffers_.emplace_back(c, job.size(), rank);
      buffers_.back().fill(inputs[size_t(rank)]);
    }
  }

  /// Runs the case and returns the results of the ranks that have one.
  std::vector<Bits> run(const Operators *operators) {
    REQUIRE(job_.inGroup([&](int rank) {
      Case c = c_;
      if (operators)
        c.op = (*operators)[rank];
      RankBuffers &own = buffers_[size_t(rank)];
      return call(c, own.send(), own.recv(), job_[rank], job_.stream(rank));
    }) == blinkSuccess);
    std::vector<Bits> results;
    for (int rank = 0; rank < job_.size(); ++rank)
      if (c_.collective != Collective::reduce || rank == c_.root)
        results.push_back(buffers_[size_t(rank)].result());
    return results;
  }

private:
  const Job &job_;
  Case c_;
  std::deque<RankBuffers> buffers_;
};

void checkCase(const Job &job, const Case &c, bool onDevice) {
  const size_t ranks = size_t(job.size());
  const size_t count =
      c.count * (c.collective == Collective::reducescatter ? ranks : 1);
  std::mt19937 random(uint32_t(c.count + ranks * 7 + size_t(c.type)));
  Bits scalars;
  std::vector<Bits> inputs(ranks), products(ranks);
  for (size_t rank = 0; rank < ranks; ++rank) {
    scalars.push_back(roughBits(c.type, random));
    for (size_t i = 0; i < kPeriod; ++i) {
      inputs[rank].push_back(roughBits(c.type, random));
      products[rank].push_back(
          productBits(c.type, inputs[rank][i], scalars[rank]));
    }
    for (Bits *list : {&inputs[rank], &products[rank]}) {
      list->resize(count);
      for (size_t i = kPeriod; i < count; ++i)
        (*list)[i] = (*list)[i - kPeriod];
    }
  }
  CAPTURE(ranks);
  CAPTURE(c.describe());
  CAPTURE(onDevice);
  const Operators operators(job, c.type, onDevice, scalars);
  Data data(job, c, inputs);
  const std::vector<Bits> results = data.run(&operators);
  const bool right = results == Data(job, c, products).run(nullptr);
  CHECK(right);
  bool same = true;
  for (const Bits &result : results)
    same &= result == results[0] || c.collective == Collective::reducescatter;
  CHECK(same);
  if (c.inPlace)
    return;
  // The inputs have not changed.
  const bool kept = data.run(nullptr) == Data(job, c, inputs).run(nullptr);
  CHECK(kept);
}

std::vector<BuildOptions> premultipliedLayouts() {
  std::vector<BuildOptions> list(5);
  list[0].shape = Shape::random;
  list[0].treesPerBlock = 2;
  list[0].lanes = 3;
  list[0].chunkBytes = 256;
  list[1].shape = Shape::star;
  list[1].splitRoot = true;
  list[2].shape = Shape::chain;
  list[2].lanes = 1;
  list[2].slots = 1;
  list[2].chunkBytes = 1024;
  list[2].skewed = true;
  list[3].shape = Shape::oneHop;
  list[3].chunkBytes = 16 << 10;
  list[4].shape = Shape::oneHop;
  list[4].treesPerBlock = 3;
  list[4].chunkBytes = 128;
  list[4].slots = 1;
  return list;
}

} // namespace

TEST_CASE("a premultiplied sum has the bits of a sum of products") {
  unsigned number = 0;
  for (int ranks : {1, 2, 3, 5})
    for (BuildOptions layout : premultipliedLayouts())
      for (sched::Protocol protocol :
           {sched::Protocol::simple, sched::Protocol::low_latency}) {
        if ((kSlow && ranks != 3) || (kSanitized && ranks % 2 == 0))
          continue;
        layout.lanes = std::min(layout.lanes, mostLanes(ranks));
        TestSchedule model =
            withProtocol(allCollectives(ranks, ranks - 1, layout), protocol);
        if (ranks == 5 || layout.shape == Shape::chain)
          model = withFloatSums(model); // the same for sums rounded once
        Job job(model, ranks);
        for (blinkDataType_t type : kTypes)
          // Odd and unaligned sizes, the last too large for slots on the host.
          for (size_t bytes : {1, 17, 333, 20001}) {
            if (bytes > 10000 && (layout.chunkBytes < 1000 || number % 3))
              continue;
            constexpr Collective kReducing[] = {Collective::allreduce,
                                                Collective::reduce,
                                                Collective::reducescatter};
            Case c;
            c.collective = kReducing[number % 3];
            c.type = type;
            c.count = bytes / size_t(bytesOf(type)) + 1;
            c.root = ranks - 1;
            c.inPlace = number / 3 % 2;
            c.misaligned = number / 6 % 2;
            checkCase(job, c, number % 5 < 2);
            ++number;
          }
      }
}

TEST_CASE("readers of large inputs get the products") {
  // On devices, chunks skip the slots from 256 KiB on.
  for (Shape shape : {Shape::star, Shape::chain, Shape::oneHop}) {
    BuildOptions layout;
    layout.shape = shape;
    layout.chunkBytes = 64 << 10;
    layout.lanes = std::min(layout.lanes, mostLanes(3));
    Job job(allCollectives(3, 1, layout), 3);
    for (Collective collective :
         {Collective::allreduce, Collective::reduce, Collective::reducescatter})
      for (blinkDataType_t type : {blinkFloat32, blinkBfloat16})
        for (bool inPlace : {false, true}) {
          if (kSanitized && inPlace != (type == blinkFloat32))
            continue;
          Case c;
          c.collective = collective;
          c.type = type;
          c.count = (256 << 10) / size_t(bytesOf(type)) + 1;
          c.root = 1;
          c.inPlace = inPlace;
          checkCase(job, c, inPlace);
          if (kSlow)
            return;
        }
  }
}

#if BLINK_TEST_CUDA
TEST_CASE("a graph reads the scalars of each launch") {
  constexpr size_t kCount = 1001;
  Job job(makeSchedule(Collective::allreduce, 0, 1, {}), 1);
  Operators operators(job, blinkFloat32, true, {encode(blinkFloat32, 3)});
  Case c;
  c.count = kCount;
  c.op = operators[0];
  RankBuffers data(c, 1, 0);
  data.fill(Bits(kCount, encode(blinkFloat32, 0.5)));
  const auto stream = reinterpret_cast<cudaStream_t>(job.stream(0));
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed) ==
          cudaSuccess);
  CHECK(call(c, data.send(), data.recv(), job[0], job.stream(0)) ==
        blinkSuccess);
  REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  REQUIRE(cudaGraphInstantiateWithFlags(&exec, graph, 0) == cudaSuccess);
  for (double scalar : {3.0, -7.0}) {
    operators.place(0).set(encode(blinkFloat32, scalar));
    REQUIRE(cudaGraphLaunch(exec, stream) == cudaSuccess);
    REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
    CHECK(data.result() == Bits(kCount, encode(blinkFloat32, scalar / 2)));
  }
  CHECK(cudaGraphExecDestroy(exec) == cudaSuccess);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
}
#endif
