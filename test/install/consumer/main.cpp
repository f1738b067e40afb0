// Built against an installed Blink: prints the library's version.
#include <blink.h>

#include <cstdio>

int main() {
  int version = 0;
  blinkSchedule_t schedule = nullptr;
  if (blinkGetVersion(&version) != blinkSuccess ||
      blinkScheduleOpen("/no/such/file", &schedule) != blinkSystemError)
    return 1;
  std::printf("%d.%d.%d\n", version / 10000, version / 100 % 100,
              version % 100);
  return 0;
}
