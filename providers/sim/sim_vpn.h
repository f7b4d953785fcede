#ifndef TRUEUP_PROVIDERS_SIM_VPN_H
#define TRUEUP_PROVIDERS_SIM_VPN_H

#include "providers/sim/sim_call.h"

/* What the files of the VPN family share. */

/* As sim_need(), but a gateway or connection that is deleted and still listed is not there. */
struct sim_object *sim_vpn_need(struct sim_call *call, enum sim_type_number type, const char *parameter);
/* A live connection that refers to gateway (a customer's or ours), or NULL. */
struct sim_object *sim_vpn_connection_of(const struct sim_object *gateway);
/* Every type of VPN thing: state is "deleted". */
bool sim_vpn_gone(const struct sim_object *object);

/* The two tunnels of a new connection, from its options; fails the call for bad ones. */
bool sim_vpn_tunnels_check(struct sim_call *call, const struct sim_object *vpn_gateway);
void sim_vpn_tunnels_make(struct sim_call *call, struct node *options);
/* The options of one tunnel of a connection, merged from the request's. */
void sim_vpn_tunnel_change(struct sim_call *call, struct sim_object *connection);
/* The configuration for the customer's device, as XML text, in the call's arena. */
struct slice sim_vpn_configuration(struct sim_call *call, const struct sim_object *connection, const struct node *body);

/* Members of one tunnel's options; see struct sim_action. */
#define SIM_VPN_TUNNEL                                                                                                 \
	"TunnelInsideCidr TunnelInsideIpv6Cidr PreSharedKey Phase1LifetimeSeconds:i Phase2LifetimeSeconds:i "          \
	"RekeyMarginTimeSeconds:i RekeyFuzzPercentage:i ReplayWindowSize:i DPDTimeoutSeconds=dpdTimeoutSeconds:i "     \
	"DPDTimeoutAction=dpdTimeoutAction "                                                                           \
	"Phase1EncryptionAlgorithm=phase1EncryptionAlgorithmSet[]{Value} "                                             \
	"Phase2EncryptionAlgorithm=phase2EncryptionAlgorithmSet[]{Value} "                                             \
	"Phase1IntegrityAlgorithm=phase1IntegrityAlgorithmSet[]{Value} "                                               \
	"Phase2IntegrityAlgorithm=phase2IntegrityAlgorithmSet[]{Value} "                                               \
	"Phase1DHGroupNumber=phase1DHGroupNumberSet[]{Value:i} Phase2DHGroupNumber=phase2DHGroupNumberSet[]{Value:i} " \
	"IKEVersion=ikeVersionSet[]{Value} StartupAction EnableTunnelLifecycleControl:b "                              \
	"LogOptions{CloudWatchLogOptions{LogEnabled:b LogGroupArn LogOutputFormat BgpLogEnabled:b BgpLogGroupArn "     \
	"BgpLogOutputFormat}} "                                                                                        \
	"Phase1AdditionalKeyExchange=phase1AdditionalKeyExchangeSet[]{AdditionalKeyExchangeRound:i! "                  \
	"KeyExchangeMethod=keyExchangeMethodSet[]{Value:i} Requirement} "                                              \
	"Phase2AdditionalKeyExchange=phase2AdditionalKeyExchangeSet[]{AdditionalKeyExchangeRound:i! "                  \
	"KeyExchangeMethod=keyExchangeMethodSet[]{Value:i} Requirement}"

#endif
