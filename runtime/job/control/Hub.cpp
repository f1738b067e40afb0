//===- Hub.cpp - the hub of a job on several servers ----------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// What a process does for the processes that are connected to it.
//
//===----------------------------------------------------------------------===//

#include "runtime/job/control/ControlMessages.h"
#include "runtime/job/control/ControlPlane.h"

#include "schedules/Text.h"

#include <algorithm>

namespace blink::runtime {

void ControlPlane::serveClients() {
  for (auto &connection : strangers_.work(listener_, ownSecret_))
    clients_.emplace_back(std::move(connection));
  for (Client &client : clients_) {
    client.connection->work();
    hearClient(client);
  }
  loseLateRanks();
}

void ControlPlane::hearClient(Client &client) {
  uint32_t kind;
  std::string message;
  // Do not hear ranks that come before this process is the hub: what they say
  // is newer than what the previous hub may still be saying about them.
  while ((client.rank < 0 || isHub()) &&
         client.connection->hear(kind, message)) {
    if (client.rank < 0) {
      if (!client.left && kind == uint32_t(ControlKind::hello))
        admit(client, message);
      continue;
    }
    uint32_t rank = 0;
    std::string_view text;
    switch (ControlKind(kind)) {
    case ControlKind::records:
      if (readNumbered(message, rank, text) && int(rank) == client.rank) {
        take(client.rank, text);
        passRecords(client.rank, std::string(text));
      }
      break;
    case ControlKind::failure:
      if (!toldFailure_)
        pass(kind, message, &client);
      noteFailure(statusOfMessage(message));
      break;
    case ControlKind::gone:
      client.left = true;
      noteGone(client.rank);
      client.connection->say(kind, message); // tells it that it may leave
      pass(kind, message, &client);
      promoteAgent(members_.serverOf(client.rank));
      break;
    default: // a sign of life, or a kind of a later version
      break;
    }
  }
}

ControlPlane::Client *ControlPlane::clientOf(int rank) {
  for (Client &client : clients_)
    if (client.rank == rank && !client.left && !client.connection->isBroken())
      return &client;
  return nullptr;
}

/// Accepts a rank, or says why not.
void ControlPlane::admit(Client &client, const std::string &message) {
  Introduction introduction;
  if (!readMessage(message, introduction))
    return;
  introduction.hostName[sizeof(introduction.hostName) - 1] = '\0';
  Status status;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    status = members_.check(introduction, members_.introduction(request_.rank));
    const auto rank = int(introduction.rank);
    if (status.ok() &&
        (rank == request_.rank || clientOf(rank) || !members_.isLeft(rank)))
      status = Status(blinkInvalidUsage, "rank ", rank,
                      " has joined already: each rank is one process's, and "
                      "an id is good for one job");
    if (status.ok())
      members_.introduce(introduction);
  }
  if (!status.ok()) {
    client.connection->say(uint32_t(ControlKind::refused),
                           messageOfStatus(status));
    client.left = true;
    return;
  }
  client.rank = int(introduction.rank);
  introduce(client);
}

/// Tells the others which ranks have come: when all have, and before that once
/// per interval. Hundreds of ranks that heard of each arrival would have no
/// processor time to come themselves.
void ControlPlane::tellNewcomers() {
  const Clock::time_point now = Clock::now();
  if (newcomers_.empty() ||
      (!members_.allKnown() && now - toldNewcomers_ < interval_))
    return;
  for (const int rank : newcomers_)
    pass(uint32_t(ControlKind::member), messageOf(members_.introduction(rank)),
         clientOf(rank));
  newcomers_.clear();
  toldNewcomers_ = now;
}

/// Tells a new rank what the others have said, and makes sure that they hear of
/// it.
void ControlPlane::introduce(Client &client) {
  ControlConnection &to = *client.connection;
  to.say(uint32_t(ControlKind::accepted), "");
  newcomers_.push_back(client.rank);
  const int server = members_.serverOf(client.rank);
  const bool writes = members_.agentOf(server) == client.rank;
  for (int rank = 0; rank < members_.count(); ++rank) {
    if (rank != client.rank && members_.known(rank))
      to.say(uint32_t(ControlKind::member),
             messageOf(members_.introduction(rank)));
    if (members_.isLost(rank))
      to.say(uint32_t(ControlKind::lost),
             numbered(uint32_t(rank), members_.whyLost(rank)));
    if (members_.isGone(rank))
      to.say(uint32_t(ControlKind::gone), numbered(uint32_t(rank), ""));
    // Of other ranks, the previous hub may have told it more.
    const bool knows = rank == request_.rank || isHub();
    const auto state = states_.find(rank);
    if (writes && knows && state != states_.end() &&
        members_.serverOf(rank) != server)
      to.say(uint32_t(ControlKind::records),
             numbered(uint32_t(rank), state->second.whole()));
  }
  if (toldFailure_)
    to.say(uint32_t(ControlKind::failure), messageOfStatus(failure()));
}

void ControlPlane::pass(uint32_t kind, std::string_view text,
                        const Client *from) {
  for (Client &client : clients_)
    if (&client != from && client.rank >= 0 && !client.left)
      client.connection->say(kind, text);
}

/// Passes records to the rank of each other server that writes to the server's
/// memory.
void ControlPlane::passRecords(int rank, const std::string &changes) {
  const std::string message = numbered(uint32_t(rank), changes);
  for (Client &client : clients_) {
    if (client.rank < 0 || client.left)
      continue;
    const int server = members_.serverOf(client.rank);
    if (server != members_.serverOf(rank) &&
        members_.agentOf(server) == client.rank)
      client.connection->say(uint32_t(ControlKind::records), message);
  }
}

/// Sends signs of life, and drops clients that send none.
void ControlPlane::dropClients() {
  const Clock::time_point now = Clock::now();
  for (auto it = clients_.begin(); it != clients_.end();) {
    Client &client = *it;
    ControlConnection &connection = *client.connection;
    if (now - connection.saidAt() >= interval_)
      connection.say(uint32_t(ControlKind::alive), "");
    connection.work();
    hearClient(client); // what it said before it ended still counts
    std::string why;
    if (connection.isBroken())
      why = textOf("the process of ", members_.name(std::max(client.rank, 0)),
                   ", number ",
                   members_.introduction(std::max(client.rank, 0)).process,
                   ", has died: its connection broke (", connection.why(), ")");
    else if (now - connection.heardAt() > request_.silence)
      why = textOf("no sign of life from ",
                   members_.name(std::max(client.rank, 0)), " for ",
                   request_.silence.count(),
                   " ms: it is stopped, or its network is down");
    if (why.empty()) {
      ++it;
      continue;
    }
    const int rank = client.rank;
    const bool left = client.left || rank < 0;
    it = clients_.erase(it);
    if (left)
      continue;
    noteLost(rank, why);
    pass(uint32_t(ControlKind::lost), numbered(uint32_t(rank), why));
    promoteAgent(members_.serverOf(rank));
  }
}

/// Tells the new writer of a server's memory all records.
void ControlPlane::promoteAgent(int server) {
  const int agent = members_.agentOf(server);
  Client *client = agent < 0 ? nullptr : clientOf(agent);
  if (!client)
    return;
  for (const auto &[rank, state] : states_)
    if (members_.serverOf(rank) != server)
      client->connection->say(uint32_t(ControlKind::records),
                              numbered(uint32_t(rank), state.whole()));
}

/// After the previous hub has ended: a rank that does not come over to this one
/// is lost, too.
void ControlPlane::loseLateRanks() {
  if (!isHub() || hubSince_ == Clock::time_point() ||
      Clock::now() - hubSince_ < 3 * request_.silence)
    return;
  for (int rank = 0; rank < members_.count(); ++rank) {
    if (rank == request_.rank || !members_.isLeft(rank) || clientOf(rank))
      continue;
    const std::string why =
        textOf("no sign of life from ", members_.name(rank), " since ",
               "the rank that kept the job together has ended");
    noteLost(rank, why);
    pass(uint32_t(ControlKind::lost), numbered(uint32_t(rank), why));
  }
  hubSince_ = Clock::time_point();
}

} // namespace blink::runtime
