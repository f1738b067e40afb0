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

/// Maps memory that is zero at first. The kernel gives a page when it is first
/// touched, and most rings of a bundle never are. `file` negative: memory of
/// this process; or else that behind the file, which has so many bytes. Errors:
/// there is not so much memory. The kernel might promise it all the same, and
/// end the process later.
Status mapPages(uint64_t bytes, int file, std::shared_ptr<char> &pages);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_HOST_PAGES_H
