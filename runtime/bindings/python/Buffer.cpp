//===- Buffer.cpp - memory of Python objects ------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/bindings/python/Buffer.h"

#include "runtime/bindings/python/Errors.h"
#include "runtime/bindings/python/Types.h"

namespace nb = nanobind;

namespace blink::python {
namespace {

[[noreturn]] void refuseStrides(const char *name) {
  refuse(name, " is not contiguous in C's order: numpy.ascontiguousarray() or "
               ".contiguous() make a copy that is");
}

[[noreturn]] void refuseReadOnly(const char *name) {
  refuse(name, " is read-only, but the result would be written to it");
}

template <typename Array>
void take(const Array &array, const char *name, bool cuda, Buffer &buffer) {
  int64_t expected = 1;
  for (size_t i = array.ndim(); i-- > 0 && array.size() != 0;) {
    if (array.shape(i) != 1 && array.stride(i) != expected)
      refuseStrides(name);
    expected *= int64_t(array.shape(i));
  }
  const int device = array.device_type();
  const bool both = device == nb::device::cuda_host::value ||
                    device == nb::device::cuda_managed::value;
  if (!both &&
      device != (cuda ? nb::device::cuda::value : nb::device::cpu::value))
    refuse(name, " is memory of device type ", device,
           " in DLPack's numbers, but the communicator is of the back end '",
           cuda ? "cuda" : "host", "'");
  buffer.data = const_cast<void *>(static_cast<const void *>(array.data()));
  buffer.bytes = array.nbytes();
  buffer.type = typeOf(array.dtype());
}

/// An object of a GPU that has no DLPack, as Numba's.
void takeCudaArray(nb::handle object, const char *name, Access access,
                   Buffer &buffer) {
  nb::dict array = nb::cast<nb::dict>(object.attr("__cuda_array_interface__"));
  const std::string typestr = nb::cast<nb::str>(array["typestr"]).c_str();
  const size_t item =
      typestr.size() > 2 ? size_t(std::atoi(typestr.c_str() + 2)) : 0;
  buffer.bytes = item;
  for (nb::handle extent : nb::cast<nb::tuple>(array["shape"]))
    buffer.bytes *= nb::cast<size_t>(extent);
  if (array.contains("strides") && !array["strides"].is_none()) {
    nb::tuple shape = nb::cast<nb::tuple>(array["shape"]);
    nb::tuple strides = nb::cast<nb::tuple>(array["strides"]);
    int64_t expected = int64_t(item);
    for (size_t i = nb::len(shape); i-- > 0 && buffer.bytes != 0;) {
      const int64_t extent = nb::cast<int64_t>(shape[i]);
      if (extent != 1 && nb::cast<int64_t>(strides[i]) != expected)
        refuseStrides(name);
      expected *= extent;
    }
  }
  nb::tuple data = nb::cast<nb::tuple>(array["data"]);
  if (access == Access::write && nb::cast<bool>(data[1]))
    refuseReadOnly(name);
  buffer.data = reinterpret_cast<void *>(nb::cast<uintptr_t>(data[0]));
  const char *const kinds = "iuf"; // DLPack's codes 0, 1, 2
  for (uint8_t code = 0; code < 3; ++code)
    if (item && typestr[1] == kinds[code])
      buffer.type = typeOf({code, uint8_t(item * 8), 1});
  buffer.object = nb::borrow(object);
}

} // namespace

Buffer readBuffer(nb::handle object, const char *name, Access access, bool cuda,
                  std::optional<blinkDataType_t> type) {
  Buffer buffer;
  if (access == Access::write &&
      nb::try_cast(object, buffer.writable, /*convert=*/false))
    take(buffer.writable, name, cuda, buffer);
  else if (nb::try_cast(object, buffer.readable, /*convert=*/false)) {
    if (access == Access::write)
      refuseReadOnly(name);
    take(buffer.readable, name, cuda, buffer);
  } else if (cuda && nb::hasattr(object, "__cuda_array_interface__"))
    takeCudaArray(object, name, access, buffer);
  else
    throw nb::type_error(
        (std::string(name) + ": a " + nb::type_name(object.type()).c_str() +
         " gives no memory by DLPack or the buffer protocol; of a tensor that "
         "requires grad pass .detach(), of an array of ml_dtypes "
         ".view(numpy.uint8), and dtype=")
            .c_str());
  if (type)
    buffer.type = type;
  return buffer;
}

} // namespace blink::python
