//===- FileOffer.h - handing out files to other processes -------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// A process offers others a list of files and hands out each one when it is
// asked for. So only few of them are open or in transit at any time, however
// long the list is.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_RUNTIME_JOB_FILEOFFER_H
#define BLINK_RUNTIME_JOB_FILEOFFER_H

#include "runtime/job/LocalSocket.h"

#include <functional>
#include <thread>

namespace blink::runtime {

/// Describes a file in a form that the process that takes it understands.
struct FileNote {
  uint64_t bytes;
  char handle[64];
};

/// Answers other processes of the same user in the background until it is
/// destroyed.
class FileOffer {
public:
  /// Makes file number `index`, once for each client that asks for it. May
  /// leave `file` empty if the note says enough. Runs in a thread of the offer.
  using Make =
      std::function<Status(uint64_t index, Descriptor &file, FileNote &note)>;
  /// Starts the thread and sets `key`, by which others find the offer. Errors:
  /// system error.
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

/// Takes files 0 to count - 1 of an offer, one after the other, and passes each
/// to `take`. Errors: those of the offer and of `take`; remote error if the
/// offering process does not answer by `deadline`.
Status takeFiles(
    const OfferKey &key, uint64_t count,
    std::chrono::steady_clock::time_point deadline,
    const std::function<Status(Descriptor file, const FileNote &note)> &take);

} // namespace blink::runtime

#endif // BLINK_RUNTIME_JOB_FILEOFFER_H
