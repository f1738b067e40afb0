//===- MessagesTest.cpp - point to point ----------------------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Messages of any size in any pattern: among all ranks, several between the
// same two ranks, past collectives and each other, one after the other without
// any synchronisation.
//
//===----------------------------------------------------------------------===//

#include "test/conformance/Job.h"

#include "doctest/doctest.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <thread>

using namespace blink;
using namespace blink::test;

namespace {

/// Returns a schedule of collectives and messages. Messages have one variant
/// for small sizes and one for large sizes.
TestSchedule withMessages(int numRanks, const BuildOptions &options) {
  TestSchedule schedule = allCollectives(numRanks, 0, options);
  BuildOptions small = options;
  small.treesPerBlock = 1;
  small.seed += 1;
  TestSchedule large = makeSchedule(Collective::sendrecv, 0, numRanks, options);
  TestProgram program =
      makeSchedule(Collective::sendrecv, 0, numRanks, small).programs[0];
  program.variants[0].maxBytes = 3000;
  program.variants.push_back(large.programs[0].variants[0]);
  program.variants[1].minBytes = 3000;
  for (TestProgram &other : schedule.programs)
    if (other.collective == Collective::sendrecv)
      other = program;
  return schedule;
}

/// A message, and what the receiver got.
struct Message {
  int from, to;
  blinkDataType_t type;
  size_t count, bytes;
  std::vector<uint8_t> sent, received;
  size_t offset; ///< from an aligned address, in both buffers
};

/// Returns up to two messages from each rank to each rank, itself included.
std::vector<Message> randomMessages(int numRanks, std::mt19937 &random) {
  constexpr size_t kCounts[] = {0, 1, 3, 17, 255, 1000, 4099, 70001};
  constexpr std::pair<blinkDataType_t, size_t> kTypes[] = {
      {blinkInt8, 1}, {blinkFloat16, 2}, {blinkFloat32, 4}, {blinkFloat64, 8}};
  std::vector<Message> messages;
  for (int from = 0; from < numRanks; ++from)
    for (int to = 0; to < numRanks; ++to)
      for (size_t number = random() % 3; number > 0; --number) {
        const auto [type, size] = kTypes[random() % std::size(kTypes)];
        Message message{from, to, type, 0, 0, {}, {}, size * (random() % 5)};
        message.count = kCounts[random() % std::size(kCounts)];
        message.bytes = message.count * size;
        message.sent.resize(message.bytes + message.offset);
        for (uint8_t &byte : message.sent)
          byte = uint8_t(random());
        // The `offset` bytes before and 8 bytes after the message must not be
        // written.
        message.received.assign(message.bytes + message.offset + 8, 0xee);
        messages.push_back(std::move(message));
      }
  return messages;
}

/// Makes the calls of `rank` in a group: those between two ranks in order, the
/// others in any order.
blinkResult_t exchange(std::vector<Message> &messages, int rank, const Job &job,
                       unsigned seed) {
  struct Half {
    Message *message;
    bool sends;
  };
  std::vector<Half> calls;
  for (Message &message : messages) {
    if (message.from == rank)
      calls.push_back({&message, true});
    if (message.to == rank)
      calls.push_back({&message, false});
  }
  std::vector<size_t> order(size_t(job.size()) * 2);
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::shuffle(order.begin(), order.end(), std::mt19937(seed));
  std::stable_sort(
      calls.begin(), calls.end(), [&](const Half &a, const Half &b) {
        auto key = [&](const Half &half) {
          const int peer = half.sends ? half.message->to : half.message->from;
          return order[size_t(peer) * 2 + half.sends];
        };
        return key(a) < key(b);
      });
  CHECK(blinkGroupStart() == blinkSuccess);
  for (const Half &half : calls) {
    Message &m = *half.message;
    CHECK((half.sends ? blinkSend(m.sent.data() + m.offset, m.count, m.type,
                                  m.to, job[rank], job.stream(rank))
                      : blinkRecv(m.received.data() + m.offset, m.count, m.type,
                                  m.from, job[rank], job.stream(rank))) ==
          blinkSuccess);
  }
  return blinkGroupEnd();
}

/// Returns how many messages arrived changed or wrote beside their place.
int wrongOf(const std::vector<Message> &messages) {
  int wrong = 0;
  for (const Message &m : messages) {
    const auto begin = m.received.begin() + ptrdiff_t(m.offset);
    const auto end = begin + ptrdiff_t(m.bytes);
    auto untouched = [](uint8_t byte) { return byte == 0xee; };
    wrong += !std::equal(begin, end, m.sent.begin() + ptrdiff_t(m.offset)) ||
             !std::all_of(m.received.begin(), begin, untouched) ||
             !std::all_of(end, m.received.end(), untouched);
  }
  return wrong;
}

BuildOptions layoutOf(unsigned variation) {
  BuildOptions options;
  options.treesPerBlock = 1 + int(variation % 3);
  options.slots = uint16_t(1 + variation % 4);
  options.chunkBytes = variation % 2 ? 4096 : 208;
  options.lanes = 1 + int(variation % 2);
  options.seed = variation;
  return options;
}

} // namespace

TEST_CASE("messages among all ranks, round after round, a thread a rank") {
  const int kRounds = kSanitized ? 4 : 20;
  unsigned variation = 0;
  for (int numRanks : {1, 2, 3, 5, 8}) {
    CAPTURE(numRanks);
    std::mt19937 random(7 + unsigned(numRanks));
    Job job(withMessages(numRanks, layoutOf(++variation)), numRanks);
    std::vector<std::vector<Message>> rounds;
    for (int round = 0; round < kRounds; ++round)
      rounds.push_back(randomMessages(numRanks, random));
    const auto results = job.onThreads([&](int rank) {
      for (size_t round = 0; round < rounds.size(); ++round)
        if (blinkResult_t result = exchange(rounds[round], rank, job,
                                            unsigned(round) + 100 * rank))
          return result;
      return blinkSuccess;
    });
    for (blinkResult_t result : results)
      CHECK(result == blinkSuccess);
    for (const std::vector<Message> &messages : rounds)
      CHECK(wrongOf(messages) == 0);
  }
}

TEST_CASE("messages among all ranks that one thread drives") {
  for (unsigned variation = 0; variation < 6; ++variation) {
    CAPTURE(variation);
    std::mt19937 random(variation);
    Job job(withMessages(4, layoutOf(variation)), 4);
    std::vector<Message> messages = randomMessages(4, random);
    CHECK(job.inGroup([&](int rank) {
      return exchange(messages, rank, job, variation);
    }) == blinkSuccess);
    CHECK(wrongOf(messages) == 0);
  }
}

TEST_CASE("no message of a group waits for one of another pair") {
  // Rank 0 has messages a and c for rank 1 and waits for b from rank 2. Rank 2
  // sends b only after it has received d from rank 1, which needs c first. The
  // messages are too large for the slots, so senders wait for readers.
  constexpr size_t kCount = 300000;
  Job job(withMessages(3, layoutOf(1)), 3, 20000);
  std::vector<float> from(4 * kCount, 1), to(4 * kCount);
  auto buffer = [&](std::vector<float> &all, char name) {
    return all.data() + size_t(name - 'a') * kCount;
  };
  auto send = [&](int rank, char name, int peer) {
    return blinkSend(buffer(from, name), kCount, blinkFloat32, peer, job[rank],
                     nullptr);
  };
  auto receive = [&](int rank, char name, int peer) {
    return blinkRecv(buffer(to, name), kCount, blinkFloat32, peer, job[rank],
                     nullptr);
  };
  const auto results = job.onThreads([&](int rank) {
    blinkGroupStart();
    if (rank == 0) {
      send(0, 'a', 1);
      receive(0, 'b', 2);
      send(0, 'c', 1);
    } else if (rank == 1) {
      receive(1, 'a', 0);
      receive(1, 'c', 0);
    } else {
      receive(2, 'd', 1);
    }
    if (blinkResult_t result = blinkGroupEnd())
      return result;
    return rank == 1   ? send(1, 'd', 2)
           : rank == 2 ? send(2, 'b', 0)
                       : blinkSuccess;
  });
  for (blinkResult_t result : results)
    CHECK(result == blinkSuccess);
  CHECK(to == from);
}

TEST_CASE("messages and collectives pass each other") {
  Job job(withMessages(2, layoutOf(3)), 2, 20000);
  constexpr int kRounds = 50;
  std::vector<int> sums(2, 0), sent(kRounds), received(kRounds, -1);
  std::iota(sent.begin(), sent.end(), 0);
  const auto results = job.onThreads([&](int rank) {
    for (int round = 0; round < kRounds; ++round) {
      int one = 1, sum = 0;
      // One number fits into a slot: rank 0 goes on before rank 1 receives it.
      if (rank == 0)
        if (blinkResult_t result = blinkSend(&sent[size_t(round)], 1,
                                             blinkInt32, 1, job[0], nullptr))
          return result;
      if (blinkResult_t result = blinkAllReduce(&one, &sum, 1, blinkInt32,
                                                blinkSum, job[rank], nullptr))
        return result;
      sums[size_t(rank)] += sum;
      if (rank == 1)
        if (blinkResult_t result = blinkRecv(&received[size_t(round)], 1,
                                             blinkInt32, 0, job[1], nullptr))
          return result;
    }
    return blinkSuccess;
  });
  for (blinkResult_t result : results)
    CHECK(result == blinkSuccess);
  CHECK(sums == std::vector<int>(2, 2 * kRounds));
  CHECK(received == sent);
}

TEST_CASE("messages and collectives in one group") {
  constexpr size_t kCount = 100000;
  Job job(withMessages(3, layoutOf(2)), 3, 20000);
  std::vector<std::vector<int64_t>> out(3), in(3), sum(3);
  for (int rank = 0; rank < 3; ++rank) {
    out[size_t(rank)].assign(kCount, rank + 1);
    in[size_t(rank)].assign(kCount, 0);
    sum[size_t(rank)].assign(kCount, 0);
  }
  const auto results = job.onThreads([&](int rank) {
    const auto own = size_t(rank);
    blinkGroupStart();
    blinkRecv(in[own].data(), kCount, blinkInt64, (rank + 2) % 3, job[rank],
              nullptr);
    blinkAllReduce(out[own].data(), sum[own].data(), kCount, blinkInt64,
                   blinkSum, job[rank], nullptr);
    blinkSend(out[own].data(), kCount, blinkInt64, (rank + 1) % 3, job[rank],
              nullptr);
    return blinkGroupEnd();
  });
  for (int rank = 0; rank < 3; ++rank) {
    CHECK(results[size_t(rank)] == blinkSuccess);
    CHECK(in[size_t(rank)] == out[size_t(rank + 2) % 3]);
    CHECK(sum[size_t(rank)] == std::vector<int64_t>(kCount, 6));
  }
}

TEST_CASE("threads of one rank in messages and collectives hold no other up") {
  // Each rank has a thread for each message of a round, and one for
  // collectives. About half of the time, a receiving thread comes before the
  // thread that sends what it waits for.
  constexpr int kRanks = 3;
  constexpr size_t kCount = 5000;
  const int rounds = kSlow ? 5 : 30;
  Job job(withMessages(kRanks, layoutOf(2)), kRanks, 20000);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < kRanks; ++rank) {
    threads.emplace_back([&, rank] {
      for (int round = 0; round < rounds; ++round) {
        std::vector<int> one(kCount, round), sum(kCount);
        CHECK(blinkAllReduce(one.data(), sum.data(), kCount, blinkInt32,
                             blinkSum, job[rank], nullptr) == blinkSuccess);
        CHECK(sum == std::vector<int>(kCount, round * kRanks));
      }
    });
    for (int peer = 0; peer < kRanks; ++peer) {
      if (peer == rank)
        continue;
      threads.emplace_back([&, rank, peer] {
        for (int round = 0; round < rounds; ++round) {
          std::vector<int> in(kCount);
          CHECK(blinkRecv(in.data(), kCount, blinkInt32, peer, job[rank],
                          nullptr) == blinkSuccess);
          CHECK(in == std::vector<int>(kCount, 100 * round + peer));
        }
      });
      threads.emplace_back([&, rank, peer] {
        for (int round = 0; round < rounds; ++round) {
          const std::vector<int> out(kCount, 100 * round + rank);
          CHECK(blinkSend(out.data(), kCount, blinkInt32, peer, job[rank],
                          nullptr) == blinkSuccess);
        }
      });
    }
  }
  for (std::thread &thread : threads)
    thread.join();
}

/// Probes rank 1 for a message from rank 0.
static int probed(const Job &job, size_t count, blinkDataType_t type) {
  int arrived = -1;
  CHECK(blinkProbe(count, type, 0, job[1], &arrived) == blinkSuccess);
  return arrived;
}

TEST_CASE("only a message of the probed count and type is seen") {
  // Of five trees, the first four carry nothing of so short a message.
  BuildOptions layout;
  layout.treesPerBlock = 5;
  layout.chunkBytes = 256;
  Job job(withMessages(2, layout), 2, 20000);
  int unused = 0;
  if (blinkProbe(5, blinkInt32, 0, job[1], &unused) == blinkInvalidUsage)
    return; // the CUDA back end
  for (size_t count : {5, 1000}) {
    const std::vector<int> sent(count, 7);
    std::vector<int> received(count);
    const auto send = [&] {
      CHECK(blinkSend(sent.data(), count, blinkInt32, 1, job[0], nullptr) ==
            blinkSuccess);
    };
    std::thread sender(send); // it may have to wait for free slots
    while (!probed(job, count, blinkInt32))
      std::this_thread::yield();
    CHECK(probed(job, count + 1, blinkInt32) == 0);
    CHECK(probed(job, count, blinkFloat32) == 0);
    CHECK(probed(job, 1, blinkInt8) == 0);
    CHECK(blinkRecv(received.data(), count, blinkInt32, 0, job[1], nullptr) ==
          blinkSuccess);
    sender.join();
    CHECK(received == sent);
  }
}

TEST_CASE("a message is seen before it is received") {
  constexpr size_t kCount = 5;
  int unused = 0;
  {
    Job job(withMessages(2, layoutOf(0)), 2);
    const blinkResult_t result =
        blinkProbe(kCount, blinkInt32, 0, job[1], &unused);
    if (result == blinkInvalidUsage) // the CUDA back end
      return;
    CHECK(blinkProbe(kCount, blinkInt32, 2, job[1], &unused) ==
          blinkInvalidArgument);
    CHECK(blinkProbe(kCount, blinkInt32, 0, job[1], nullptr) ==
          blinkInvalidArgument);
  }
  for (unsigned variation = 0; variation < 4; ++variation) {
    CAPTURE(variation);
    Job job(withMessages(3, layoutOf(variation)), 3, 20000);
    const auto seen = [&](int peer) {
      int arrived = -1;
      CHECK(blinkProbe(kCount, blinkInt32, peer, job[1], &arrived) ==
            blinkSuccess);
      return arrived;
    };
    // There are more rounds than a ring has slots.
    for (int round = 0; round < 12; ++round) {
      CAPTURE(round);
      CHECK(seen(0) == 0);
      CHECK(seen(2) == 0);
      const int peer = round % 2 * 2;
      const std::vector<int> sent(kCount, round);
      std::vector<int> received(kCount);
      REQUIRE(blinkSend(sent.data(), kCount, blinkInt32, 1, job[peer],
                        nullptr) == blinkSuccess);
      if (isRemote()) // the message is still on its way
        while (!seen(peer))
          std::this_thread::yield();
      CHECK(seen(peer) == 1);
      CHECK(seen(2 - peer) == 0);
      REQUIRE(blinkRecv(received.data(), kCount, blinkInt32, peer, job[1],
                        nullptr) == blinkSuccess);
      CHECK(received == sent);
    }
  }
}
