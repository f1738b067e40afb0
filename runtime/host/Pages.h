//===- Pages.h - memory that costs nothing until touched --------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_HOST_PAGES_H
#define BLINK_RUNTIME_HOST_PAGES_H

#include "runtime/Status.h"

#include <cstdint>
#include <memory>

namespace blink::runtime {

/// Maps memory that is zero at first. The kernel provides a page when it is
/// first touched, and most rings of a bundle never are. If `file` is negative,
/// the memory is private to this process; otherwise it is that of the file,
/// which has `bytes`. Errors: the machine has less memory than that. The kernel
/// might promise it nevertheless, and end the process later.
Status mapPages(uint64_t bytes, int file, std::shared_ptr<char> &pages);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_HOST_PAGES_H
