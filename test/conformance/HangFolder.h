//===- HangFolder.h - a folder for pictures of hangs ------------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_CONFORMANCE_HANGFOLDER_H
#define BLINK_TEST_CONFORMANCE_HANGFOLDER_H

#include "doctest/doctest.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace blink::test {

/// A folder that BLINK_HANG_DIR names during the object's lifetime.
class HangFolder {
public:
  HangFolder() {
    char name[] = "/tmp/blink-hang-XXXXXX";
    REQUIRE(mkdtemp(name));
    path_ = name;
    setenv("BLINK_HANG_DIR", name, 1);
  }
  ~HangFolder() {
    unsetenv("BLINK_HANG_DIR");
    std::filesystem::remove_all(path_);
  }
  /// Returns the contents of the files in the folder.
  std::vector<std::string> files() const {
    std::vector<std::string> all;
    for (const auto &file : std::filesystem::directory_iterator(path_)) {
      std::ifstream stream(file.path());
      all.emplace_back(std::istreambuf_iterator<char>(stream),
                       std::istreambuf_iterator<char>());
    }
    return all;
  }

private:
  std::filesystem::path path_;
};

} // namespace blink::test

#endif // BLINK_TEST_CONFORMANCE_HANGFOLDER_H
