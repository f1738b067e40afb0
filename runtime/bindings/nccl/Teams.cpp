//===- Teams.cpp - functions of the device API without results ------------===//
//
// Part of Blink, under the Apache License v2.0 with LLVM Exceptions.
//
// Blink has no device API, and these functions cannot report an error. They
// answer what is true without such an API: the caller's kernels reach no rank
// but their own.
//
//===----------------------------------------------------------------------===//

#include "runtime/bindings/nccl/EntryPoints.h"

namespace {

constexpr ncclTeam_t kAlone = {1, 0, 1};

} // namespace

NCCL_ENTRY ncclTeam_t ncclTeamWorld(ncclComm_t comm) {
  ncclTeam_t team = kAlone;
  int count = 0, rank = 0;
  if (ncclCommCount(comm, &count) == ncclSuccess &&
      ncclCommUserRank(comm, &rank) == ncclSuccess)
    team = {count, rank, 1};
  return team;
}
NCCL_TWIN(ncclTeamWorld)

NCCL_ENTRY ncclTeam_t ncclTeamLsa(ncclComm_t) { return kAlone; }
NCCL_TWIN(ncclTeamLsa)
NCCL_ENTRY ncclTeam_t ncclTeamRail(ncclComm_t) { return kAlone; }
NCCL_TWIN(ncclTeamRail)
NCCL_ENTRY ncclTeam_t ncclTeamCft(ncclComm_t, int) { return kAlone; }
NCCL_TWIN(ncclTeamCft)
NCCL_ENTRY ncclTeam_t ncclTeamCftMultimem(ncclComm_t) { return kAlone; }
NCCL_TWIN(ncclTeamCftMultimem)

/// Returns -1, which is no rank, on failure.
NCCL_ENTRY int ncclTeamRankToWorld(ncclComm_t comm, ncclTeam_t team, int rank) {
  int own = 0;
  return ncclCommUserRank(comm, &own) == ncclSuccess
             ? own + (rank - team.rank) * team.stride
             : -1;
}
NCCL_TWIN(ncclTeamRankToWorld)
NCCL_ENTRY int ncclTeamRankToLsa(ncclComm_t, ncclTeam_t team, int rank) {
  return rank == team.rank ? 0 : -1;
}
NCCL_TWIN(ncclTeamRankToLsa)

NCCL_ENTRY int ncclLLA2ACalcSlots(int, int) { return 0; }
NCCL_TWIN(ncclLLA2ACalcSlots)

/// NCCL exports this function without a second name.
NCCL_ENTRY void ncclResetDebugInitInternal() {}
