// The `collective` dialect: includes all of its files, one for each concern.
#ifndef BLINK_DIALECT_COLLECTIVE_TD
#define BLINK_DIALECT_COLLECTIVE_TD

include "dialect/CollectiveDialect.td"
include "dialect/CollectiveEnums.td"
include "dialect/CollectiveAttrs.td"
include "dialect/CollectiveInterfaces.td"
include "dialect/TopologyOps.td"
include "dialect/RequestOps.td"
include "dialect/ForestOps.td"
include "dialect/ScheduleOps.td"

#endif // BLINK_DIALECT_COLLECTIVE_TD
