#ifndef TRUEUP_PROVIDERS_AWS_KINDS_PROPAGATION_H
#define TRUEUP_PROVIDERS_AWS_KINDS_PROPAGATION_H

/* Codes with which EnableVgwRoutePropagation and DisableVgwRoutePropagation, which have either end as the object, say
 * that one of the ends is not known yet, or no more. NULL-terminated. */
extern const char *const aws_propagation_young[];
extern const char *const aws_propagation_gone[];

#endif
