//===- Nobody.h - a client of transports without rings ----------*- C++ -*-===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef BLINK_TEST_UNIT_RUNTIME_NOBODY_H
#define BLINK_TEST_UNIT_RUNTIME_NOBODY_H

#include "runtime/Transport.h"

class Nobody : public blink::runtime::TransportClient {
public:
  char *placeFor(const blink::runtime::ChunkMessage &) override {
    return nullptr;
  }
  void arrived(const blink::runtime::ChunkMessage &) override {}
  void freed(uint32_t, uint64_t) override {}
  void broken(uint32_t, const std::string &) override {}
  void note(int, bool, const std::string &) override {}
};

#endif // BLINK_TEST_UNIT_RUNTIME_NOBODY_H
