//===- Errors.cpp - results as exceptions ---------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/bindings/python/Errors.h"

namespace nb = nanobind;

namespace blink::python {

nb::object makeError(blinkResult_t code, const std::string &sentence) {
  // Sentences quote file names, which may contain any bytes.
  nb::object text = nb::steal(PyUnicode_DecodeUTF8(
      sentence.data(), Py_ssize_t(sentence.size()), "replace"));
  if (!text.is_valid())
    throw nb::python_error();
  return nb::module_::import_("blink.errors").attr("of_code")(int(code), text);
}

void raise(blinkResult_t code, const std::string &sentence) {
  nb::object error = makeError(code, sentence);
  PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error.ptr())),
                  error.ptr());
  throw nb::python_error();
}

} // namespace blink::python
