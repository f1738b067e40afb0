//===- Processes.cpp - jobs whose ranks are processes ---------------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "test/storm/Processes.h"

#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace blink::storm {
namespace {

// File descriptors of a member, set up by runProcesses.
constexpr int kIdFile = 3;   ///< gives the id; ends when all may leave
constexpr int kDoneFile = 4; ///< takes a byte when the member is done

/// A pipe between two processes; exec closes both ends.
struct Pipe {
  int ends[2] = {-1, -1};
  Pipe() {
    if (pipe2(ends, O_CLOEXEC) != 0)
      throw std::runtime_error("no pipe");
    // Keep these descriptors above those that a member expects.
    for (int &end : ends) {
      const int high = fcntl(end, F_DUPFD_CLOEXEC, 16);
      close(end);
      end = high;
    }
  }
  ~Pipe() {
    closeEnd(0);
    closeEnd(1);
  }
  Pipe(const Pipe &) = delete;
  void closeEnd(int end) {
    if (ends[end] >= 0)
      close(ends[end]);
    ends[end] = -1;
  }
};

struct Member {
  pid_t process = -1;
  Pipe id, done;
};

void start(Member &member, std::vector<std::string> arguments, int rank) {
  arguments.insert(arguments.begin(), "blink_storm");
  arguments.push_back("--member=" + std::to_string(rank));
  std::vector<char *> pointers;
  for (std::string &argument : arguments)
    pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, member.id.ends[0], kIdFile);
  posix_spawn_file_actions_adddup2(&actions, member.done.ends[1], kDoneFile);
  const int error = posix_spawn(&member.process, "/proc/self/exe", &actions,
                                nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  member.done.closeEnd(1);
  if (error != 0)
    throw std::runtime_error(std::string("cannot start a process: ") +
                             std::strerror(error));
}

} // namespace

void runProcesses(const JobPlan &job, const std::vector<std::string> &arguments,
                  Findings &findings) {
  blinkUniqueId id;
  if (blinkGetUniqueId(&id) != blinkSuccess)
    throw std::runtime_error(blinkGetLastError(nullptr));
  std::vector<Member> members(size_t(job.ranks()));
  for (size_t rank = 0; rank < members.size(); ++rank) {
    start(members[rank], arguments, int(rank));
    if (write(members[rank].id.ends[1], &id, sizeof(id)) != sizeof(id))
      throw std::runtime_error("cannot write to a pipe");
  }
  // A member that has crashed counts as done: its pipe ends.
  char byte;
  for (Member &member : members)
    while (read(member.done.ends[0], &byte, 1) < 0) {
    }
  for (Member &member : members)
    member.id.closeEnd(1);
  for (size_t rank = 0; rank < members.size(); ++rank) {
    int status = 0;
    while (waitpid(members[rank].process, &status, 0) < 0) {
    }
    const std::string text =
        "the process ended with status " + std::to_string(status);
    if (WIFEXITED(status) && WEXITSTATUS(status) == kWrongResults)
      findings.addWrong(int(rank), 0, text);
    else if (status != 0)
      findings.addError(int(rank), 0, text);
  }
}

blinkUniqueId idOfMember() {
  blinkUniqueId id;
  if (read(kIdFile, &id, sizeof(id)) != sizeof(id))
    throw std::runtime_error("--member is for processes that the storm starts");
  return id;
}

void meetOtherMembers() {
  char byte = 0;
  if (write(kDoneFile, &byte, 1) != 1)
    return; // the parent is gone
  while (read(kIdFile, &byte, 1) > 0) {
  }
}

} // namespace blink::storm
