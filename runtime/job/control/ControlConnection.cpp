//===- ControlConnection.cpp - authenticated control messages -------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "runtime/job/control/ControlConnection.h"

#include "runtime/job/control/ControlMessages.h"

#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>

namespace blink::runtime {
namespace {

/// Header of each message in a frame. Numbers are in the byte order of x86 and
/// ARM, the only hosts that CUDA supports.
struct MessageHead {
  uint32_t kind;
  uint32_t bytes;
};

} // namespace

ControlConnection::ControlConnection(Descriptor socket, const Secret &secret,
                                     Side side)
    : socket_(std::move(socket)), secret_(secret), side_(side) {
  const Status status = fillRandom(own_.data(), own_.size());
  if (!status.ok())
    fail(status.text);
  else if (side_ == Side::answers)
    send(own_.data(), own_.size());
}

short ControlConnection::events() const {
  const bool writes = !outgoing_.empty() || (isProven() && !said_.empty());
  return short(POLLIN | (writes ? POLLOUT : 0));
}

void ControlConnection::fail(const std::string &why) {
  if (isBroken())
    return;
  why_ = why;
  stage_ = Stage::broken;
}

void ControlConnection::work() {
  constexpr int kTurns = 16; // other connections want to be served, too
  for (int i = 0; i < kTurns && mayRead() && readSome(); ++i)
    read();
  if (!isBroken() && isProven() && !said_.empty())
    sealFrame();
  if (!isBroken())
    writeSome();
}

//===-- Bytes -------------------------------------------------------------===//

/// No reading while there is a message that has not been taken.
bool ControlConnection::mayRead() const {
  return !isBroken() &&
         heard_.size() - given_ <= kMostMessage + sizeof(MessageHead);
}

/// Returns whether there was anything to read.
bool ControlConnection::readSome() {
  char bytes[64 << 10];
  // A stranger must not fill the memory.
  const size_t most = isProven() ? sizeof(bytes) : 2 * kDigest;
  const ssize_t got = recv(socket_.get(), bytes, most, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR))
    return false;
  if (got <= 0) {
    fail(got ? std::strerror(errno) : "it was closed");
    return false;
  }
  incoming_.append(bytes, size_t(got));
  return true;
}

void ControlConnection::send(const void *bytes, size_t size) {
  outgoing_.append(static_cast<const char *>(bytes), size);
}

void ControlConnection::writeSome() {
  while (written_ < outgoing_.size()) {
    const ssize_t sent =
        ::send(socket_.get(), outgoing_.data() + written_,
               outgoing_.size() - written_, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR))
      return;
    if (sent <= 0)
      return fail(std::strerror(errno));
    written_ += size_t(sent);
    saidAt_ = Clock::now();
  }
  outgoing_.clear();
  written_ = 0;
}

void ControlConnection::read() {
  bool more = true;
  while (more && !isBroken())
    switch (stage_) {
    case Stage::challenge:
      more = readChallenge();
      break;
    case Stage::proof:
      more = readProof();
      break;
    case Stage::proven:
      more = readFrame();
      break;
    case Stage::broken:
      return;
    }
  incoming_.erase(0, read_);
  read_ = 0;
}

//===-- Proof -------------------------------------------------------------===//

/// Signs as `who`, with both challenges, in the same order on both sides.
Digest ControlConnection::sign(const char *who) const {
  const bool asks = side_ == Side::asks;
  return secret_.sign(
      {who, viewOf(asks ? own_ : other_), viewOf(asks ? other_ : own_)});
}

bool ControlConnection::readChallenge() {
  if (incoming_.size() - read_ < kDigest)
    return false;
  std::memcpy(other_.data(), incoming_.data() + read_, kDigest);
  read_ += kDigest;
  stage_ = Stage::proof;
  if (side_ == Side::asks) {
    send(own_.data(), own_.size());
    const Digest proof = sign("asks");
    send(proof.data(), proof.size());
  }
  return true;
}

bool ControlConnection::readProof() {
  if (incoming_.size() - read_ < kDigest)
    return false;
  const bool asks = side_ == Side::asks;
  const Digest right = sign(asks ? "answers" : "asks");
  const auto *proof =
      reinterpret_cast<const unsigned char *>(incoming_.data() + read_);
  read_ += kDigest;
  if (!sameDigest(right.data(), proof, kDigest)) {
    fail("it does not know the job's secret");
    return false;
  }
  if (!asks) {
    const Digest own = sign("answers");
    send(own.data(), own.size());
  }
  const Secret toAnswerer{sign("frames of the one that asks")};
  const Secret toAsker{sign("frames of the one that answers")};
  sendKey_ = asks ? toAnswerer : toAsker;
  receiveKey_ = asks ? toAsker : toAnswerer;
  stage_ = Stage::proven;
  heardAt_ = Clock::now();
  return true;
}

//===-- Frames ------------------------------------------------------------===//

Digest ControlConnection::signFrame(const Secret &key, uint64_t number,
                                    std::string_view text) const {
  return key.sign({messageOf(number), text});
}

void ControlConnection::say(uint32_t kind, std::string_view text) {
  if (isBroken())
    return;
  if (text.size() > kMostMessage ||
      said_.size() + outgoing_.size() - written_ > kMostQueued)
    return fail("it does not read what it is told");
  const MessageHead head{kind, uint32_t(text.size())};
  said_.append(messageOf(head));
  said_.append(text);
}

/// Puts all queued messages into frames.
void ControlConnection::sealFrame() {
  for (size_t begin = 0; begin < said_.size();) {
    const std::string_view text =
        std::string_view(said_).substr(begin, kMostFrame);
    const auto size = uint32_t(text.size());
    const Digest signature = signFrame(sendKey_, framesSent_++, text);
    send(&size, sizeof(size));
    send(text.data(), text.size());
    send(signature.data(), kSignature);
    begin += size;
  }
  said_.clear();
}

bool ControlConnection::readFrame() {
  uint32_t size;
  const size_t there = incoming_.size() - read_;
  if (there < sizeof(size))
    return false;
  std::memcpy(&size, incoming_.data() + read_, sizeof(size));
  if (size > kMostFrame) {
    fail("it sends frames without end");
    return false;
  }
  if (there < sizeof(size) + size + kSignature)
    return false;
  const std::string_view text(incoming_.data() + read_ + sizeof(size), size);
  const Digest right = signFrame(receiveKey_, framesReceived_++, text);
  if (!sameDigest(right.data(),
                  reinterpret_cast<const unsigned char *>(text.data() + size),
                  kSignature)) {
    fail("a frame is not what the other end sent");
    return false;
  }
  if (given_ > heard_.size() / 2) { // so that erasing costs O(1) per byte
    heard_.erase(0, given_);
    given_ = 0;
  }
  heard_.append(text);
  heardAt_ = Clock::now();
  read_ += sizeof(size) + size + kSignature;
  return true;
}

bool ControlConnection::hear(uint32_t &kind, std::string &text) {
  MessageHead head;
  if (heard_.size() - given_ < sizeof(head))
    return false;
  std::memcpy(&head, heard_.data() + given_, sizeof(head));
  if (head.bytes > kMostMessage) {
    fail("it sends messages without end");
    return false;
  }
  if (heard_.size() - given_ - sizeof(head) < head.bytes)
    return false; // the rest is in the next frame
  kind = head.kind;
  text = heard_.substr(given_ + sizeof(head), head.bytes);
  given_ += sizeof(head) + head.bytes;
  if (given_ == heard_.size()) {
    heard_.clear();
    given_ = 0;
  }
  return true;
}

} // namespace blink::runtime
