/* An allreduce over all ranks of a schedule, driven by one thread.
 *
 *   blinkc compile dgx1.topo -o allreduce.sched
 *   cc allreduce.c -lblink -o allreduce && ./allreduce allreduce.sched
 */
#include <blink.h>

#include <stdio.h>
#include <stdlib.h>

/* Everything returns a result code; blinkGetLastError has the sentence. */
#define CHECK(call)                                                            \
  do {                                                                         \
    blinkResult_t result = (call);                                             \
    if (result != blinkSuccess) {                                              \
      fprintf(stderr, "%s: %s: %s\n", #call, blinkGetErrorString(result),      \
              blinkGetLastError(NULL));                                        \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s FILE.sched\n", argv[0]);
    return 2;
  }
  /* The schedule says for how many ranks it is. It may be closed as soon as
     the communicators exist. */
  blinkSchedule_t schedule;
  int nranks;
  CHECK(blinkScheduleOpen(argv[1], &schedule));
  CHECK(blinkScheduleRanks(schedule, &nranks));
  blinkComm_t *comms = calloc(nranks, sizeof *comms);
  CHECK(blinkCommInitAll(comms, nranks, NULL, schedule, NULL));
  CHECK(blinkScheduleClose(schedule));

  /* Rank r contributes r + i in element i, in place. */
  const size_t count = 1000003;
  float **data = calloc(nranks, sizeof *data);
  for (int r = 0; r < nranks; ++r) {
    data[r] = malloc(count * sizeof(float));
    for (size_t i = 0; i < count; ++i)
      data[r][i] = (float)(r + i % 1000);
  }

  /* One thread for all ranks, so their calls form a group. A thread a rank
     would call blinkAllReduce alone and wait in it. */
  CHECK(blinkGroupStart());
  for (int r = 0; r < nranks; ++r)
    CHECK(blinkAllReduce(data[r], data[r], count, blinkFloat32, blinkSum,
                         comms[r], NULL));
  CHECK(blinkGroupEnd());

  size_t wrong = 0;
  for (int r = 0; r < nranks; ++r)
    for (size_t i = 0; i < count; ++i)
      wrong += data[r][i] !=
               (float)(nranks * (nranks - 1) / 2 + nranks * (i % 1000));
  printf("%d ranks, %zu elements each, %zu wrong\n", nranks, count, wrong);

  for (int r = 0; r < nranks; ++r) {
    CHECK(blinkCommDestroy(comms[r]));
    free(data[r]);
  }
  free(data);
  free(comms);
  return wrong != 0;
}
