#include "schedules/ScheduleFile.h"
