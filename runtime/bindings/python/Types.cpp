//===- Types.cpp - types, operators and streams ---------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/bindings/python/Types.h"

#include "runtime/bindings/python/Errors.h"

#include <string>

namespace nb = nanobind;

namespace blink::python {
namespace {

// Codes of DLPack; nanobind has names for the first ones only.
constexpr int kInt = 0, kUint = 1, kFloat = 2, kBfloat = 4, kFloat8e4m3fn = 10,
              kFloat8e5m2 = 12;

/// In the order of blinkDataType_t.
struct Type {
  const char *name;  ///< as in NumPy, PyTorch and ml_dtypes
  const char *alias; ///< as in blink.h, if that differs
  int code, bits;
} kTypes[] = {{"int8", nullptr, kInt, 8},
              {"uint8", nullptr, kUint, 8},
              {"int32", nullptr, kInt, 32},
              {"uint32", nullptr, kUint, 32},
              {"int64", nullptr, kInt, 64},
              {"uint64", nullptr, kUint, 64},
              {"float16", nullptr, kFloat, 16},
              {"float32", nullptr, kFloat, 32},
              {"float64", nullptr, kFloat, 64},
              {"bfloat16", nullptr, kBfloat, 16},
              {"float8_e4m3fn", "float8e4m3", kFloat8e4m3fn, 8},
              {"float8_e5m2", "float8e5m2", kFloat8e5m2, 8}};

/// In the order of blinkRedOp_t.
const char *const kOperators[] = {"sum", "prod", "max", "min",
                                  "avg", "band", "bor", "bxor"};

std::string nameOfType(nb::handle dtype) {
  nb::object name = nb::borrow(dtype);
  for (const char *attribute : {"__name__", "name"})
    if (!nb::isinstance<nb::str>(name) && nb::hasattr(dtype, attribute))
      name = dtype.attr(attribute);
  std::string text = nb::str(name).c_str();
  return text.substr(text.rfind('.') + 1); // "torch.float32"
}

} // namespace

const char *nameOf(blinkDataType_t type) { return kTypes[type].name; }

size_t elementBytes(blinkDataType_t type) { return kTypes[type].bits / 8; }

std::optional<blinkDataType_t> typeOf(nb::dlpack::dtype type) {
  for (size_t i = 0; i < std::size(kTypes); ++i)
    if (kTypes[i].code == type.code && kTypes[i].bits == type.bits &&
        type.lanes == 1)
      return blinkDataType_t(i);
  return std::nullopt;
}

std::optional<blinkDataType_t> readType(nb::handle dtype) {
  if (dtype.is_none())
    return std::nullopt;
  const std::string name = nameOfType(dtype);
  std::string known;
  for (size_t i = 0; i < std::size(kTypes); ++i) {
    if (name == kTypes[i].name || (kTypes[i].alias && name == kTypes[i].alias))
      return blinkDataType_t(i);
    known += (i ? ", " : "") + std::string(kTypes[i].name);
  }
  refuse("dtype is '", name, "': expected one of ", known);
}

blinkRedOp_t readOperator(const char *name) {
  std::string known;
  for (size_t i = 0; i < std::size(kOperators); ++i) {
    if (std::string(name) == kOperators[i])
      return blinkRedOp_t(i);
    known += (i ? ", " : "") + std::string(kOperators[i]);
  }
  refuse("op is '", name, "': expected one of ", known);
}

blinkStream_t readStream(nb::handle stream) {
  if (stream.is_none())
    return nullptr;
  nb::object number = nb::borrow(stream);
  if (nb::hasattr(stream, "__cuda_stream__"))
    number = stream.attr("__cuda_stream__")()[1]; // (version, number)
  else if (nb::hasattr(stream, "cuda_stream"))
    number = stream.attr("cuda_stream");
  else if (nb::hasattr(stream, "ptr"))
    number = stream.attr("ptr");
  uintptr_t value = 0;
  if (!nb::try_cast(number, value))
    throw nb::type_error(
        "stream: expected None, an int, or an object with __cuda_stream__, "
        "cuda_stream or ptr");
  return reinterpret_cast<blinkStream_t>(value);
}

} // namespace blink::python
