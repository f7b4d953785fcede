#ifndef TRUEUP_CLI_PROXY_SECRETS_H
#define TRUEUP_CLI_PROXY_SECRETS_H

#include "base/world.h"

/*
 * Keeps the passwords of proxies out of what is shown: those in the variables that libcurl reads
 * (https://curl.se/libcurl/c/libcurl-env.html), since a proxy may echo what it was sent.
 */
void proxy_secrets_keep(struct world *world);

#endif
