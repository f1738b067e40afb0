//===- HostKernels.h - kernels compiled for the host ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// For programs that a C++ compiler compiles and that run on emulated devices. A
// kernel is an ordinary function, which cudaLaunchKernel starts once the
// emulation knows it:
//
//   __global__ void scale(float *data, float by, size_t count) {
//     const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
//     if (i < count)
//       data[i] *= by;
//   }
//   BLINK_EMULATED_KERNEL(scale)
//
// The threads of a launch run one after the other on one thread of the stream,
// so a kernel can use neither barriers nor shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_EMULATION_HOSTKERNELS_H
#define BLINK_TEST_EMULATION_HOSTKERNELS_H

#include <cstddef>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <tuple>
#include <utility>

extern "C" {
/// How to start a kernel. Its arguments are copied when it is launched, as in
/// CUDA. It runs later with the copy, in graphs several times.
typedef struct blinkEmulatedKernel {
  void *(*copy)(void **arguments);
  void (*run)(void *copied, const dim3 *grid, const dim3 *block);
  void (*drop)(void *copied);
} blinkEmulatedKernel;

/// From now on cudaLaunchKernel(kernel, ...) starts `kernel` as `how` says.
/// Part of the emulated libcudart.
cudaError_t blinkEmulateKernel(const void *kernel,
                               const blinkEmulatedKernel *how);
}

inline thread_local uint3 threadIdx, blockIdx;
inline thread_local dim3 blockDim, gridDim;

namespace blink::test {

template <typename... Parameters> struct HostKernel {
  using Arguments = std::tuple<std::remove_cv_t<Parameters>...>;
  struct Copy {
    void (*kernel)(Parameters...);
    Arguments arguments;
  };

  template <size_t... I>
  static Arguments read(void **from, std::index_sequence<I...>) {
    return Arguments(*static_cast<std::remove_cv_t<Parameters> *>(from[I])...);
  }

  template <void (*kernel)(Parameters...)> static cudaError_t announce() {
    constexpr blinkEmulatedKernel how = {
        [](void **from) -> void * {
          return new Arguments(
              read(from, std::index_sequence_for<Parameters...>()));
        },
        [](void *copied, const dim3 *grid, const dim3 *block) {
          runGrid<kernel>(*static_cast<Arguments *>(copied), *grid, *block);
        },
        [](void *copied) { delete static_cast<Arguments *>(copied); }};
    // Looked up at run time, so that the program can be linked with CUDA's own
    // library.
    const auto emulate = reinterpret_cast<decltype(&blinkEmulateKernel)>(
        dlsym(RTLD_DEFAULT, "blinkEmulateKernel"));
    return emulate ? emulate(reinterpret_cast<const void *>(kernel), &how)
                   : cudaErrorNotSupported;
  }

private:
  template <void (*kernel)(Parameters...)>
  static void runGrid(const Arguments &arguments, dim3 grid, dim3 block) {
    gridDim = grid;
    blockDim = block;
    for (unsigned b = 0; b < grid.x * grid.y * grid.z; ++b)
      for (unsigned t = 0; t < block.x * block.y * block.z; ++t) {
        blockIdx = {b % grid.x, b / grid.x % grid.y, b / grid.x / grid.y};
        threadIdx = {t % block.x, t / block.x % block.y, t / block.x / block.y};
        std::apply(kernel, arguments);
      }
  }
};

template <auto kernel> struct HostKernelOf;
template <typename... Parameters, void (*kernel)(Parameters...)>
struct HostKernelOf<kernel> {
  static cudaError_t announce() {
    return HostKernel<Parameters...>::template announce<kernel>();
  }
};

} // namespace blink::test

#define BLINK_EMULATED_JOIN_(a, b) a##b
#define BLINK_EMULATED_JOIN(a, b) BLINK_EMULATED_JOIN_(a, b)
/// Makes the kernel known when the program starts.
#define BLINK_EMULATED_KERNEL(...)                                             \
  static const cudaError_t BLINK_EMULATED_JOIN(emulated, __COUNTER__) =        \
      blink::test::HostKernelOf<__VA_ARGS__>::announce();

#endif // BLINK_TEST_EMULATION_HOSTKERNELS_H
