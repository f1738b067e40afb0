//===- Folders.h - where tests find files -----------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// What differs between clones of this tree, in an object of its own: all others
// are the same in each, so ccache has them.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_COMMON_FOLDERS_H
#define BLINK_TEST_COMMON_FOLDERS_H

#include <string>

namespace blink::test {

/// The root of the sources.
std::string sourceFolder();

/// Where the module for networks is built, if it is.
std::string networkFolder();

} // namespace blink::test

#endif // BLINK_TEST_COMMON_FOLDERS_H
