//===- Replay.cpp - runs a fuzz target over files -------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Replaces libFuzzer's main, so that every build and compiler runs each target
// over its seeds and over inputs that once crashed it. Usage: `TARGET
// FILE|FOLDER ...`. Reads all files of a folder. The exit code is 1 if there is
// no file.
//
//===----------------------------------------------------------------------===//

#include "test/fuzz/FuzzTarget.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace fs = std::filesystem;

static void addFiles(const fs::path &place, std::vector<fs::path> &files) {
  if (fs::is_regular_file(place))
    files.push_back(place);
  if (!fs::is_directory(place))
    return;
  for (const fs::directory_entry &entry :
       fs::recursive_directory_iterator(place))
    if (entry.is_regular_file())
      files.push_back(entry.path());
}

int main(int argc, char **argv) {
  std::vector<fs::path> files;
  for (int i = 1; i < argc; ++i)
    addFiles(argv[i], files);
  std::sort(files.begin(), files.end());
  for (const fs::path &path : files) {
    std::ifstream in(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    // Exactly this size, so that a sanitizer sees reads beyond the end.
    const std::vector<uint8_t> bytes(text.begin(), text.end());
    std::printf("%s\n", path.c_str());
    std::fflush(stdout); // the last line names a crashing file
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  }
  std::printf("%zu inputs, 0 crashes\n", files.size());
  return files.empty();
}
