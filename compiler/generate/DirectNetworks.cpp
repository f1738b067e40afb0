//===- DirectNetworks.cpp - GPUs joined to GPUs ---------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Torus, mesh, hypercube, ring, fully connected.
//
//===----------------------------------------------------------------------===//

#include "compiler/generate/TopologyBuilder.h"
#include "compiler/support/Numbers.h"

using namespace blink;
using llvm::Error;
using llvm::Expected;

static Expected<Topology> generateGrid(const char *family, bool wraps,
                                       const std::vector<int> &sizes,
                                       const Wire &wire) {
  double gpus = 1;
  for (int size : sizes) {
    if (size < 1)
      return makeError("{0} of {1}: expected sizes of 1 and more", family,
                       joinNumbers(sizes, "x"));
    gpus *= size;
  }
  if (sizes.empty())
    return makeError("a {0} needs sizes, as in 8x8", family);
  if (Error error = checkGpus(gpus))
    return error;
  int n = static_cast<int>(gpus);
  TopologyBuilder builder(family + ("-" + joinNumbers(sizes, "x")), n);
  for (int gpu = 0; gpu < n; ++gpu) {
    int stride = n;
    for (int size : sizes) {
      stride /= size;
      int at = gpu / stride % size;
      bool last = at + 1 == size;
      // The two GPUs of a ring of two are joined once, not twice.
      if (!last)
        builder.join(gpu, gpu + stride, wire);
      else if (wraps && size > 2)
        builder.join(gpu, gpu - at * stride, wire);
    }
  }
  return builder.take(
      llvm::formatv("{0} {1} of GPUs", joinNumbers(sizes, "x"), family));
}

Expected<Topology> blink::generateTorus(const std::vector<int> &sizes,
                                        const Wire &wire) {
  return generateGrid("torus", true, sizes, wire);
}

Expected<Topology> blink::generateMesh(const std::vector<int> &sizes,
                                       const Wire &wire) {
  return generateGrid("mesh", false, sizes, wire);
}

Expected<Topology> blink::generateRing(int gpus, const Wire &wire) {
  if (Error error = checkGpus(gpus))
    return error;
  TopologyBuilder builder("ring-" + std::to_string(gpus), gpus);
  for (int gpu = 0; gpu + 1 < gpus; ++gpu)
    builder.join(gpu, gpu + 1, wire);
  if (gpus > 2)
    builder.join(gpus - 1, 0, wire);
  return builder.take(llvm::formatv("ring of {0} GPUs", gpus));
}

Expected<Topology> blink::generateHypercube(int dimensions, const Wire &wire) {
  if (dimensions < 0 || dimensions > 12)
    return makeError("{0} dimensions: expected 0 to 12", dimensions);
  int gpus = 1 << dimensions;
  TopologyBuilder builder("hypercube-" + std::to_string(dimensions), gpus);
  for (int gpu = 0; gpu < gpus; ++gpu)
    for (int bit = 1; bit < gpus; bit *= 2)
      if (!(gpu & bit))
        builder.join(gpu, gpu | bit, wire);
  return builder.take(llvm::formatv("{0}-dimensional hypercube", dimensions));
}

Expected<Topology> blink::generateFullyConnected(int gpus, const Wire &wire) {
  constexpr int kMost = 1024; // a million links
  if (gpus < 1 || gpus > kMost)
    return makeError("{0} GPUs: expected 1 to {1}", gpus, kMost);
  TopologyBuilder builder("fully-connected-" + std::to_string(gpus), gpus);
  for (int a = 0; a < gpus; ++a)
    for (int b = a + 1; b < gpus; ++b)
      builder.join(a, b, wire);
  return builder.take(llvm::formatv("{0} GPUs, each joined to each", gpus));
}
