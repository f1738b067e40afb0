//===- Folders.h - where tests find files -----------------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// The paths that differ between clones of this tree, in an object file of their
// own. All other object files are then the same in each clone, so that ccache
// finds them.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_COMMON_FOLDERS_H
#define BLINK_TEST_COMMON_FOLDERS_H

#include <string>

namespace blink::test {

/// Returns the root of the source tree: where it was built, or what the
/// environment says, BLINK_TEST_SOURCE.
std::string sourceFolder();

/// Returns the folder of the network module's build, if it is built.
std::string networkFolder();

} // namespace blink::test

#endif // BLINK_TEST_COMMON_FOLDERS_H
