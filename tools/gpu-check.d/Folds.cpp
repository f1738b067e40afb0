//===- Folds.cpp - rates that folds reach on a GPU ------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tools/gpu-check.d/Folds.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace blink::gpubench {
namespace {

constexpr uint32_t kMostRanges = FoldShape::kMostRanges;

/// Checks the last floats of each destination. All sources have the same bytes.
void checkSums(const Memory &to, size_t bytes, const FoldShape &shape,
               float element) {
  float sum = 0;
  for (uint32_t s = 0; s < shape.sources; ++s)
    sum += element;
  for (uint32_t d = 0; d < shape.destinations; ++d) {
    std::vector<float> last(1024);
    const size_t size = last.size() * sizeof(float);
    require(cudaMemcpy(last.data(),
                       static_cast<char *>(to.get()) + (d + 1) * bytes - size,
                       size, cudaMemcpyDeviceToHost),
            "cannot read the GPU's memory");
    for (float value : last)
      if (value != sum)
        throw std::runtime_error("a fold has a wrong sum");
  }
}

} // namespace

std::vector<FoldTime> timeFolds(Device &device, size_t bytes) {
  constexpr int kTimes = 5;
  constexpr unsigned char kByte = 0x3f; // 0x3f3f3f3f: 0.747
  float element = 0;
  std::fill_n(reinterpret_cast<unsigned char *>(&element), sizeof element,
              kByte);
  const Memory from = allocate(bytes * kMostRanges, kByte),
               to = allocate(bytes * kMostRanges);
  std::vector<FoldTime> times;
  for (const auto &[sources, destinations] : {std::pair{1u, 1u},
                                              {1u, 2u},
                                              {1u, 4u},
                                              {1u, 8u},
                                              {2u, 1u},
                                              {3u, 1u},
                                              {4u, 1u},
                                              {8u, 1u},
                                              {2u, 2u},
                                              {8u, 8u}})
    for (uint32_t blocks : {16, 128})
      for (uint32_t packs : {18, 12, 6, 0}) {
        const FoldShape shape{blocks, sources, destinations, packs};
        if (!hasRoom(shape))
          continue;
        require(cudaMemset(to.get(), 0, bytes * kMostRanges),
                "cannot write the GPU's memory");
        require(cudaStreamSynchronize(nullptr), "cannot write memory");
        const double us = device.onDevice(kTimes, [&](cudaStream_t stream) {
          require(launchFold(to.get(), from.get(), bytes, shape, stream),
                  "cannot start a fold");
        });
        checkSums(to, bytes, shape, element);
        times.push_back({shape, us});
      }
  return times;
}

} // namespace blink::gpubench
