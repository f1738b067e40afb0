//===- FileOffer.h - handing out files to other processes -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A process gives others a list of files, each when it is asked for: at no time
// are many of them open, or on their way, however long the list is.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_JOB_FILEOFFER_H
#define BLINK_RUNTIME_JOB_FILEOFFER_H

#include "runtime/job/LocalSocket.h"

#include <functional>
#include <thread>

namespace blink::runtime {

/// What a file stands for, in words that its taker understands.
struct FileNote {
  uint64_t bytes;
  char handle[64];
};

/// Answers processes of the same user in the background, until it is destroyed.
class FileOffer {
public:
  /// Makes file number `index`, again for each client that asks for it. It may
  /// leave `file` empty if the note says enough. Runs in a thread of the
  /// offer's.
  using Make =
      std::function<Status(uint64_t index, Descriptor &file, FileNote &note)>;
  /// Errors: system error.
  Status start(Make make, OfferKey &key);

  FileOffer() = default;
  FileOffer(const FileOffer &) = delete;
  ~FileOffer();

private:
  void serve();
  bool answer(int client);

  Make make_;
  OfferKey key_{};
  Descriptor socket_;
  std::thread thread_;
};

/// Takes files 0 to count - 1 of an offer, one after the other. Errors: those
/// of the offer and of `take`; remote error if nobody answers by `deadline`.
Status takeFiles(
    const OfferKey &key, uint64_t count,
    std::chrono::steady_clock::time_point deadline,
    const std::function<Status(Descriptor file, const FileNote &note)> &take);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_FILEOFFER_H
