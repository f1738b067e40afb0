//===- FileOffer.cpp - handing out files to other processes ---------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/job/FileOffer.h"

#include "runtime/QuietThread.h"
#include "runtime/job/JobMemory.h"

#include <cstring>
#include <new>
#include <poll.h>
#include <sys/socket.h>
#include <vector>

namespace blink::runtime {
namespace {

using Clock = std::chrono::steady_clock;

struct FileRequest {
  char secret[sizeof(OfferKey::secret)];
  uint64_t index;
};

struct FileReply {
  SharedStatus status;
  uint64_t hasFile;
  FileNote note;
};

} // namespace

Status FileOffer::start(Make make, OfferKey &key) {
  Status status = listenLocally(key_, socket_);
  if (!status.ok())
    return status;
  make_ = std::move(make);
  status = startQuietThread(thread_, [this] {
    try {
      serve();
    } catch (const std::bad_alloc &) {
      // A client that still asks gets no answer.
    }
  });
  if (status.ok())
    key = key_;
  return status;
}

FileOffer::~FileOffer() {
  if (!thread_.joinable())
    return;
  shutdown(socket_.get(), SHUT_RDWR); // wakes poll()
  thread_.join();
}

void FileOffer::serve() {
  std::vector<Descriptor> clients;
  std::vector<pollfd> waiting;
  do {
    waiting.assign(1, {socket_.get(), POLLIN, 0});
    for (const Descriptor &client : clients)
      waiting.push_back({client.get(), POLLIN, 0});
    if (poll(waiting.data(), nfds_t(waiting.size()), -1) < 0)
      continue;
    for (size_t i = clients.size(); i-- > 0;)
      if (waiting[i + 1].revents && !answer(clients[i].get()))
        clients.erase(clients.begin() + ptrdiff_t(i));
    if (!(waiting[0].revents & POLLIN))
      continue;
    Descriptor client(accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (client && sameUser(client.get()))
      clients.push_back(std::move(client));
    else if (!client) // out of descriptors: poll() would return at once again
      poll(nullptr, 0, 10);
  } while (!(waiting[0].revents & POLLHUP));
}

/// Answers one request. Returns false if the client is done: it has left, or
/// does not know the secret, in which case it gets no answer.
bool FileOffer::answer(int client) {
  FileRequest request;
  Descriptor file;
  if (!receiveMessage(client, &request, sizeof(request), file, MSG_DONTWAIT) ||
      !isSecretOf(key_, request.secret))
    return false;
  FileReply reply{};
  file = Descriptor();
  reply.status.set(make_(request.index, file, reply.note));
  reply.hasFile = bool(file);
  return sendMessage(client, &reply, sizeof(reply), file.get(), MSG_DONTWAIT);
}

Status takeFiles(
    const OfferKey &key, uint64_t count, Clock::time_point deadline,
    const std::function<Status(Descriptor file, const FileNote &note)> &take) {
  const Descriptor socket = connectLocally(key.name);
  // No other user's process may learn the secret.
  if (!socket || !sameUser(socket.get()))
    return {blinkRemoteError, "its process does not hand it out"};
  FileRequest request{};
  std::memcpy(request.secret, key.secret, sizeof(key.secret));
  for (; request.index < count; ++request.index) {
    setTimeout(socket.get(), deadline);
    FileReply reply{};
    Descriptor file;
    if (!sendMessage(socket.get(), &request, sizeof(request)) ||
        !receiveMessage(socket.get(), &reply, sizeof(reply), file))
      return {blinkRemoteError, "its process has stopped handing it out"};
    Status status = reply.status.get();
    if (status.ok() && reply.hasFile && !file)
      status = {blinkSystemError, "a file did not arrive: too many are open"};
    if (status.ok())
      status = take(std::move(file), reply.note);
    if (!status.ok())
      return status;
  }
  return {};
}

} // namespace blink::runtime
