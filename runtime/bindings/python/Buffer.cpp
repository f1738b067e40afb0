//===- Buffer.cpp - memory of Python objects ------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/bindings/python/Buffer.h"

#include "runtime/bindings/python/Errors.h"
#include "runtime/bindings/python/Types.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nb::literals;

namespace blink::python {
namespace {

[[noreturn]] void refuseStrides(const char *name) {
  refuse(name, " is not contiguous in C's order: numpy.ascontiguousarray() or "
               ".contiguous() make a copy that is");
}

[[noreturn]] void refuseReadOnly(const char *name) {
  refuse(name, " is read-only, but the result would be written to it");
}

/// The memory is of another kind than the communicator's, or of another GPU.
[[noreturn]] void refuseDevice(const char *name, const std::string &device,
                               std::optional<int> gpu) {
  refuse(name, " is memory of ", device, ", but the communicator is of ",
         gpu ? "GPU " + std::to_string(*gpu) : "the back end 'host'");
}

template <typename Array>
void take(const Array &array, const char *name, std::optional<int> gpu,
          Buffer &buffer) {
  int64_t expected = 1;
  for (size_t i = array.ndim(); i-- > 0 && array.size() != 0;) {
    if (array.shape(i) != 1 && array.stride(i) != expected)
      refuseStrides(name);
    expected *= int64_t(array.shape(i));
  }
  const int kind = array.device_type();
  if (kind == nb::device::cpu::value) {
    if (gpu)
      refuseDevice(name, "the host", gpu);
  } else if (kind == nb::device::cuda::value) {
    if (gpu != array.device_id())
      refuseDevice(name, "GPU " + std::to_string(array.device_id()), gpu);
  } else if (kind != nb::device::cuda_host::value &&
             kind != nb::device::cuda_managed::value) { // usable by both
    refuseDevice(name,
                 "device type " + std::to_string(kind) + " in DLPack's numbers",
                 gpu);
  }
  buffer.data = const_cast<void *>(static_cast<const void *>(array.data()));
  buffer.bytes = array.nbytes();
  buffer.type = typeOf(array.dtype());
}

/// Reads an object that supports DLPack or the buffer protocol, or a capsule of
/// DLPack. Returns false if it is none of these.
bool takeArray(nb::handle object, const char *name, const BufferUse &use,
               Buffer &buffer) {
  if (use.access == Access::write &&
      nb::try_cast(object, buffer.writable, /*convert=*/false)) {
    take(buffer.writable, name, use.gpu, buffer);
    return true;
  }
  if (!nb::try_cast(object, buffer.readable, /*convert=*/false))
    return false;
  if (use.access == Access::write)
    refuseReadOnly(name);
  take(buffer.readable, name, use.gpu, buffer);
  return true;
}

/// Returns the DLPack capsule that an object exports for a stream of a GPU.
/// nanobind itself passes no stream, which stands for the default stream: the
/// object would wait for that, which is useless if the call is in another
/// stream, and an error while streams are captured. Returns an empty object if
/// `object` exports no capsule.
nb::object exportFor(blinkStream_t stream, nb::handle object) {
  if (!nb::hasattr(object, "__dlpack__"))
    return {};
  // The default stream's number in the array API.
  const uintptr_t number = stream ? reinterpret_cast<uintptr_t>(stream) : 1;
  nb::object method = object.attr("__dlpack__");
  for (const bool versions : {true, false}) // older objects have no versions
    try {
      return versions ? method("stream"_a = number,
                               "max_version"_a = nb::make_tuple(1, 0))
                      : method("stream"_a = number);
    } catch (nb::python_error &error) {
      if (!error.matches(PyExc_Exception))
        throw;
    }
  return {};
}

[[noreturn]] void refuseCudaArray(const char *name) {
  throw nb::type_error((std::string(name) +
                        ": its __cuda_array_interface__ is not as Numba "
                        "describes it, or has a mask")
                           .c_str());
}

/// The fields of `__cuda_array_interface__` that are read.
struct CudaArray {
  uintptr_t data = 0;
  bool readOnly = false;
  std::string typestr; ///< as in NumPy: byte order, kind, bytes
  std::vector<int64_t> shape, strides;
};

bool readCudaArray(nb::handle object, CudaArray &array) {
  nb::dict fields;
  nb::tuple data;
  if (!nb::try_cast(object.attr("__cuda_array_interface__"), fields) ||
      !nb::try_cast(fields.get("data", nb::none()), data) ||
      nb::len(data) != 2 || !nb::try_cast(data[0], array.data) ||
      !nb::try_cast(data[1], array.readOnly) ||
      !nb::try_cast(fields.get("typestr", nb::none()), array.typestr) ||
      !nb::try_cast(fields.get("shape", nb::none()), array.shape) ||
      !fields.get("mask", nb::none()).is_none())
    return false;
  nb::object strides = fields.get("strides", nb::none());
  if (!strides.is_none() && (!nb::try_cast(strides, array.strides) ||
                             array.strides.size() != array.shape.size()))
    return false;
  for (const int64_t extent : array.shape)
    if (extent < 0)
      return false;
  return array.typestr.size() > 2;
}

/// Reads an object with GPU memory but without DLPack, such as Numba's. The
/// object does not say which GPU its memory is on.
void takeCudaArray(nb::handle object, const char *name, const BufferUse &use,
                   Buffer &buffer) {
  CudaArray array;
  if (!readCudaArray(object, array))
    refuseCudaArray(name);
  if (!use.gpu)
    refuseDevice(name, "a GPU", use.gpu);
  const int item = std::atoi(array.typestr.c_str() + 2);
  if (item <= 0)
    refuseCudaArray(name);
  buffer.bytes = size_t(item);
  for (const int64_t extent : array.shape)
    if (__builtin_mul_overflow(buffer.bytes, size_t(extent), &buffer.bytes))
      refuseCudaArray(name);
  int64_t expected = item;
  for (size_t i = array.strides.size(); i-- > 0 && buffer.bytes != 0;) {
    if (array.shape[i] != 1 && array.strides[i] != expected)
      refuseStrides(name);
    expected *= array.shape[i];
  }
  if (use.access == Access::write && array.readOnly)
    refuseReadOnly(name);
  buffer.data = reinterpret_cast<void *>(array.data);
  const char *const kinds = "iuf"; // DLPack's codes 0, 1, 2
  for (uint8_t code = 0; code < 3; ++code)
    if (array.typestr[0] != '>' && array.typestr[1] == kinds[code] &&
        item <= 16)
      buffer.type = typeOf({code, uint8_t(item * 8), 1});
  buffer.object = nb::borrow(object);
}

} // namespace

Buffer readBuffer(nb::handle object, const char *name, const BufferUse &use) {
  Buffer buffer;
  nb::object capsule;
  if (use.gpu)
    capsule = exportFor(use.stream, object);
  if (!(capsule.is_valid() && takeArray(capsule, name, use, buffer)) &&
      !takeArray(object, name, use, buffer)) {
    if (!nb::hasattr(object, "__cuda_array_interface__"))
      throw nb::type_error(
          (std::string(name) + ": a " + nb::type_name(object.type()).c_str() +
           " gives no memory by DLPack or the buffer protocol; of a tensor "
           "that requires grad pass .detach(), of an array of ml_dtypes "
           ".view(numpy.uint8), and dtype=")
              .c_str());
    takeCudaArray(object, name, use, buffer);
  }
  if (use.type)
    buffer.type = use.type;
  return buffer;
}

} // namespace blink::python
