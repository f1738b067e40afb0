//===- Agreement.cpp - which library serves a communicator ----------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/bindings/nccl/Agreement.h"

#include "runtime/bindings/nccl/Fallback.h"
#include "runtime/bindings/nccl/Sockets.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <system_error>
#include <thread>
#include <vector>

namespace blink::nccl {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kIdBytes = sizeof(ncclUniqueId) - BLINK_UNIQUE_ID_SPARE;

/// The report of a rank.
struct Ballot {
  char id[kIdBytes]; ///< Blink's part of the id, which is a secret of the job
  Stage stage;
  uint32_t rank, nranks;
  uint32_t hasFallback;
  uint64_t host;
  char why[256]; ///< "": the rank can use Blink
};

struct Answer {
  Server server;
  char why[256];
  ncclUniqueId inner;
};

void copyText(char (&to)[256], const std::string &text) {
  std::memset(to, 0, sizeof(to));
  std::memcpy(to, text.data(), std::min(text.size(), sizeof(to) - 1));
}

std::string textOf(const char (&from)[256]) {
  return {from, strnlen(from, sizeof(from))};
}

/// Returns a number that is the same in all processes of a host, and different
/// on other hosts.
uint64_t hostNumber() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(file, id);
  return std::hash<std::string>()(id);
}

/// Takes the same time wherever the difference is.
bool equal(const char *a, const char *b, size_t bytes) {
  unsigned char difference = 0;
  for (size_t i = 0; i < bytes; ++i)
    difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

//===-- The deciding side -------------------------------------------------===//

class Council {
public:
  Council(Socket listener, const ncclUniqueId &id)
      : listener_(std::move(listener)), id_(id) {}

  /// Listens to ranks until nothing is left to decide.
  void serve() {
    const Clock::time_point end = Clock::now() + std::chrono::hours(1);
    while (!decided_ && Clock::now() < end) {
      Socket client = listener_.accept(std::chrono::seconds(1));
      Ballot ballot;
      if (client.isOpen() && client.receive(&ballot, sizeof(ballot)) &&
          equal(ballot.id, id_.internal, kIdBytes)) // otherwise a stranger
        hear(std::move(client), ballot);
    }
  }

private:
  struct Voter {
    Socket client;
    Ballot ballot;
  };

  void hear(Socket client, const Ballot &ballot) {
    if (voters_.empty())
      stage_ = ballot.stage;
    const bool fits =
        ballot.stage == stage_ && ballot.rank < ballot.nranks &&
        (voters_.empty() || ballot.nranks == voters_[0].ballot.nranks) &&
        std::none_of(
            voters_.begin(), voters_.end(),
            [&](const Voter &voter) {
              return voter.ballot.rank == ballot.rank;
            });
    if (!fits) {
      reply(client, {Server::nobody,
                     "rank " + std::to_string(ballot.rank) + " of " +
                         std::to_string(ballot.nranks) +
                         " does not fit the ranks that came before",
                     {}});
      return;
    }
    voters_.push_back({std::move(client), ballot});
    if (voters_.size() != ballot.nranks)
      return;
    const Decision decision = decide();
    for (const Voter &voter : voters_)
      reply(voter.client, decision);
    decided_ = decision.server != Server::blink || stage_ == Stage::after;
    voters_.clear();
  }

  Decision decide() {
    std::sort(voters_.begin(), voters_.end(),
              [](const Voter &a, const Voter &b) {
                return a.ballot.rank < b.ballot.rank;
              });
    Decision decision{Server::blink, "", {}};
    for (const Voter &voter : voters_) {
      const std::string self = "rank " + std::to_string(voter.ballot.rank);
      if (!decision.why.empty())
        break;
      if (voter.ballot.host != voters_[0].ballot.host)
        decision.why = self + " is on another host than rank 0";
      else if (const std::string why = textOf(voter.ballot.why); !why.empty())
        decision.why = self + ": " + why;
    }
    if (decision.why.empty())
      return decision;
    decision.server = Server::fallback;
    std::string without;
    for (const Voter &voter : voters_)
      if (!voter.ballot.hasFallback && without.empty())
        without = "rank " + std::to_string(voter.ballot.rank) +
                  " has no BLINK_NCCL_FALLBACK that can be opened";
    const Fallback *library = Fallback::get(without);
    if (without.empty() &&
        library->call("ncclGetUniqueId", &decision.inner) != ncclSuccess)
      without = "the fallback makes no unique id";
    if (!without.empty()) {
      decision.server = Server::nobody;
      decision.why += "; and " + without;
    }
    return decision;
  }

  static void reply(const Socket &client, const Decision &decision) {
    Answer answer{};
    answer.server = decision.server;
    copyText(answer.why, decision.why);
    answer.inner = decision.inner;
    client.send(&answer, sizeof(answer));
  }

  Socket listener_;
  ncclUniqueId id_;
  Stage stage_ = Stage::before;
  std::vector<Voter> voters_;
  bool decided_ = false;
};

/// The contents of the spare bytes of an id.
struct Place {
  char tag[4];
  SocketAddress address;
};
static_assert(sizeof(Place) <= BLINK_UNIQUE_ID_SPARE);
constexpr char kTag[4] = {'n', 'c', 'c', 'l'};

Place placeOf(const ncclUniqueId &id) {
  Place place;
  std::memcpy(&place, id.internal + kIdBytes, sizeof(place));
  return place;
}

/// How long a rank waits for the others; the same as in Blink.
std::chrono::milliseconds patience() {
  const char *text = std::getenv("BLINK_TIMEOUT_MS");
  const long given = text ? std::atol(text) : 0;
  return std::chrono::milliseconds(given > 0 ? given : 30000);
}

} // namespace

std::string openAgreement(ncclUniqueId &id) {
  Place place{};
  std::memcpy(place.tag, kTag, sizeof(kTag));
  Socket listener;
  if (std::string wrong = listener.listen(place.address); !wrong.empty())
    return wrong;
  std::memcpy(id.internal + kIdBytes, &place, sizeof(place));
  try {
    std::thread([council = Council(std::move(listener), id)]() mutable {
      guarded([&] {
        council.serve();
        return ncclSuccess;
      });
    }).detach();
  } catch (const std::system_error &error) {
    return std::string("cannot start a thread: ") + error.what();
  }
  return "";
}

bool hasAgreement(const ncclUniqueId &id) {
  return std::memcmp(placeOf(id).tag, kTag, sizeof(kTag)) == 0;
}

ncclResult_t agree(const ncclUniqueId &id, Stage stage, int rank, int nranks,
                   const std::string &why, Decision &decision) {
  Ballot ballot{};
  std::memcpy(ballot.id, id.internal, kIdBytes);
  ballot.stage = stage;
  ballot.rank = uint32_t(rank);
  ballot.nranks = uint32_t(nranks);
  std::string wrong;
  ballot.hasFallback = Fallback::get(wrong) != nullptr;
  ballot.host = hostNumber();
  copyText(ballot.why, why);
  // A rank that fails in Blink may need all of that time to fail.
  const auto limit = patience() * (stage == Stage::after ? 2 : 1);
  Socket socket;
  Answer answer{};
  if (!socket.connect(placeOf(id).address, Clock::now() + limit))
    return fail(ncclRemoteError,
                "rank " + std::to_string(rank) +
                    " does not reach the process that called ncclGetUniqueId: "
                    "it has ended, or NCCL_SOCKET_IFNAME has to name an "
                    "interface that all hosts reach");
  if (!socket.send(&ballot, sizeof(ballot)) ||
      !socket.receive(&answer, sizeof(answer), limit))
    return fail(ncclRemoteError,
                "rank " + std::to_string(rank) + " waited " +
                    std::to_string(limit.count()) +
                    " ms for all ranks to say which library serves them");
  decision.server = answer.server;
  decision.why = textOf(answer.why);
  decision.inner = answer.inner;
  return ncclSuccess;
}

} // namespace blink::nccl
