// Built against an installed Blink: plays an allreduce of an installed bundle
// and prints the sum.
#include <blink.h>

#include <cstdio>

int main() {
  const int gpus[] = {3, 0, 2};
  float data[] = {32, 8, 2};
  blinkSchedule_t schedule = nullptr;
  blinkComm_t comms[3] = {};
  blinkConfig_t config = BLINK_CONFIG_INITIALIZER;
  config.gpus = gpus;
  if (blinkScheduleOpen(BUNDLE, &schedule) != blinkSuccess ||
      blinkCommInitAll(comms, 3, nullptr, schedule, &config) != blinkSuccess) {
    std::fprintf(stderr, "%s\n", blinkGetLastError(nullptr));
    return 1;
  }
  blinkScheduleClose(schedule);
  blinkGroupStart();
  for (int rank = 0; rank < 3; ++rank)
    blinkAllReduce(&data[rank], &data[rank], 1, blinkFloat32, blinkSum,
                   comms[rank], nullptr);
  const bool good = blinkGroupEnd() == blinkSuccess && data[0] == data[1] &&
                    data[1] == data[2];
  for (blinkComm_t comm : comms)
    blinkCommDestroy(comm);
  std::printf("%g\n", good ? double(data[0]) : -1);
  return 0;
}
