//===- RendezvousTest.cpp - asking for the memory of a job ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/job/Rendezvous.h"
#include "runtime/job/LocalSocket.h"
#include "runtime/job/UniqueId.h"
#include "test/common/Contains.h"

#include "doctest/doctest.h"

#include <sys/socket.h>
#include <thread>

using namespace blink::runtime;
using blink::test::contains;

namespace {

/// Returns the error of a rank that asks a process which closes the connection
/// without an answer. With `listensOn` the process goes on listening; otherwise
/// it stops, as if it had died.
Status askWhoHangsUp(bool listensOn) {
  IdContent content;
  REQUIRE(makeContent(content).ok());
  Descriptor listener;
  REQUIRE(listenAt(content.localKey().name, listener).ok());
  std::thread other([&] {
    Descriptor client(accept(listener.get(), nullptr, nullptr));
    if (!listensOn)
      listener = Descriptor();
  });
  Descriptor memory;
  const auto soon = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  Status status =
      joinJob(idOf(content), {2, 1, 0, 4096}, soon, nullptr, memory);
  other.join();
  CHECK(!memory);
  return status;
}

} // namespace

TEST_CASE("a job that died while it was asked does not blame the id") {
  Status status = askWhoHangsUp(/*listensOn=*/true);
  CHECK(status.code == blinkInvalidArgument);
  CHECK(contains(status.text, "the unique id is not right"));
  status = askWhoHangsUp(/*listensOn=*/false);
  CHECK(status.code == blinkRemoteError);
  CHECK(contains(status.text, "the process that answers them has ended"));
}
