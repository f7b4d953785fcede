#include "providers/aws/kinds/propagation.h"

#include <stddef.h>

const char *const aws_propagation_young[] = {"Gateway.NotAttached", "InvalidGatewayID.NotFound",
					     "InvalidVpnGatewayID.NotFound", "InvalidRouteTableID.NotFound", NULL};
const char *const aws_propagation_gone[] = {"InvalidGatewayID.NotFound", "InvalidVpnGatewayID.NotFound",
					    "InvalidRouteTableID.NotFound", NULL};
