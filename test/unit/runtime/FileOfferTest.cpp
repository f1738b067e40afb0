//===- FileOfferTest.cpp - handing out files ------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/job/FileOffer.h"

#include "doctest/doctest.h"

#include <atomic>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <future>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <vector>

using namespace blink::runtime;

namespace {

/// File number `index` has 100 + index bytes; there is no file number 1000.
Status makeFile(uint64_t index, Descriptor &file, FileNote &note) {
  if (index == 1000)
    return {blinkInvalidUsage, "there are 1000 files"};
  note.bytes = 100 + index;
  note.handle[0] = char('a' + index % 26);
  if (index % 10 == 9)
    return {}; // success with the note alone
  file = Descriptor(memfd_create("offered", MFD_CLOEXEC));
  return ftruncate(file.get(), off_t(note.bytes)) == 0
             ? Status()
             : systemError("cannot make a file");
}

auto soon() {
  return std::chrono::steady_clock::now() + std::chrono::seconds(20);
}

/// Takes `count` files and checks each. Errors: also if a file is wrong.
Status takeAndCheck(const OfferKey &key, uint64_t count) {
  uint64_t index = 0;
  Status status =
      takeFiles(key, count, soon(), [&](Descriptor file, const FileNote &note) {
        const off_t bytes = lseek(file.get(), 0, SEEK_END);
        const bool right =
            note.bytes == 100 + index &&
            note.handle[0] == char('a' + index % 26) &&
            (index % 10 == 9 ? !file : bytes == off_t(note.bytes));
        ++index;
        return right ? Status()
                     : Status{blinkInternalError, "another file has come"};
      });
  if (status.ok() && index != count)
    return {blinkInternalError, "files are missing"};
  return status;
}

size_t openFiles() {
  size_t count = 0;
  for (const auto &entry : std::filesystem::directory_iterator("/proc/self/fd"))
    count += !entry.path().empty();
  return count;
}

} // namespace

TEST_CASE("files come to another process, in order, however many there are") {
  FileOffer offer;
  OfferKey key{};
  REQUIRE(offer.start(makeFile, key).ok());
  const pid_t child = fork();
  if (child == 0) {
    // The process may have far fewer files open than it takes.
    const rlimit few{openFiles() + 8, openFiles() + 8};
    setrlimit(RLIMIT_NOFILE, &few);
    _exit(takeAndCheck(key, 999).ok() ? 0 : 1);
  }
  REQUIRE(child > 0);
  int how = -1;
  REQUIRE(waitpid(child, &how, 0) == child);
  CHECK(how == 0);
}

namespace {

std::atomic<int> signalsHandled;

} // namespace

TEST_CASE("signals do not keep a file from arriving") {
  struct sigaction handler{}, before;
  handler.sa_handler = [](int) { ++signalsHandled; };
  handler.sa_flags = SA_RESTART; // of no use with a limit of time
  REQUIRE(sigaction(SIGUSR1, &handler, &before) == 0);
  std::promise<void> mayAnswer;
  FileOffer offer;
  OfferKey key{};
  REQUIRE(offer
              .start(
                  [&](uint64_t index, Descriptor &file, FileNote &note) {
                    mayAnswer.get_future().wait();
                    return makeFile(index, file, note);
                  },
                  key)
              .ok());
  Status status;
  std::atomic<bool> gaveUp{false};
  std::thread taker([&] {
    status = takeAndCheck(key, 1);
    gaveUp = true;
  });
  for (int handled = 0; handled < 20 && !gaveUp; handled = signalsHandled) {
    // Again and again: ThreadSanitizer keeps a signal back that comes just
    // before a call that blocks.
    while (signalsHandled == handled && !gaveUp) {
      pthread_kill(taker.native_handle(), SIGUSR1);
      std::this_thread::yield();
    }
  }
  mayAnswer.set_value();
  taker.join();
  CHECK(status.text == "");
  sigaction(SIGUSR1, &before, nullptr);
}

TEST_CASE("a file that does not arrive is missed") {
  FileOffer offer;
  OfferKey key{};
  REQUIRE(offer.start(makeFile, key).ok());
  const pid_t child = fork();
  if (child == 0) {
    // After the socket no further file may be open.
    const int next = dup(0);
    close(next);
    const rlimit few{rlim_t(next) + 1, rlim_t(next) + 1};
    setrlimit(RLIMIT_NOFILE, &few);
    const Status status = takeAndCheck(key, 1);
    _exit(status.text == "a file did not arrive: too many are open" ? 0 : 1);
  }
  REQUIRE(child > 0);
  int how = -1;
  REQUIRE(waitpid(child, &how, 0) == child);
  CHECK(how == 0);
}

TEST_CASE("nothing stays open of those who have left") {
  FileOffer offer;
  OfferKey key{};
  REQUIRE(offer.start(makeFile, key).ok());
  const size_t before = openFiles();
  for (int i = 0; i < 10; ++i)
    REQUIRE(takeAndCheck(key, 1).ok());
  size_t open = 0;
  // All clients that came before have left when this one is answered.
  REQUIRE(takeFiles(key, 1, soon(), [&](Descriptor, const FileNote &) {
            open = openFiles();
            return Status();
          }).ok());
  // Both ends of a socket, the file, and perhaps the sender's copy until it is
  // sent.
  CHECK(open <= before + 4);
}

TEST_CASE("several take files at the same time") {
  const size_t before = openFiles();
  {
    FileOffer offer;
    OfferKey key{};
    REQUIRE(offer.start(makeFile, key).ok());
    std::vector<Status> results(5);
    std::vector<std::thread> threads;
    for (Status &result : results)
      threads.emplace_back([&] { result = takeAndCheck(key, 200); });
    for (std::thread &thread : threads)
      thread.join();
    for (const Status &result : results) {
      CAPTURE(result.text);
      CHECK(result.ok());
    }
  }
  CHECK(openFiles() == before);
}

TEST_CASE("an offer that has ended, or is another's, gives nothing") {
  OfferKey key{};
  {
    FileOffer offer;
    REQUIRE(offer.start(makeFile, key).ok());
    OfferKey wrong = key;
    wrong.secret[63] ^= 1;
    CHECK(takeAndCheck(wrong, 1).code == blinkRemoteError);
    wrong = key;
    wrong.name.letters[0] = 'x';
    CHECK(takeAndCheck(wrong, 1).code == blinkRemoteError);
    CHECK(takeAndCheck(key, 3).ok());
  }
  CHECK(takeAndCheck(key, 1).code == blinkRemoteError);
}

TEST_CASE("what the giver or the taker says ends it") {
  FileOffer offer;
  OfferKey key{};
  REQUIRE(offer.start(makeFile, key).ok());
  const Status tooMany = takeFiles(
      key, 1001, soon(), [](Descriptor, const FileNote &) { return Status(); });
  CHECK(tooMany.code == blinkInvalidUsage);
  CHECK(tooMany.text == "there are 1000 files");
  int taken = 0;
  const Status enough =
      takeFiles(key, 10, soon(), [&](Descriptor, const FileNote &) {
        return ++taken == 3 ? Status{blinkSystemError, "enough"} : Status();
      });
  CHECK(enough.text == "enough");
  CHECK(taken == 3);
}

TEST_CASE("a giver that says nothing is waited for until the deadline") {
  OfferKey key{};
  Descriptor listener;
  REQUIRE(listenLocally(key, listener).ok());
  const auto begin = std::chrono::steady_clock::now();
  const Status status =
      takeFiles(key, 1, begin + std::chrono::milliseconds(50),
                [](Descriptor, const FileNote &) { return Status(); });
  CHECK(status.code == blinkRemoteError);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10));
}
