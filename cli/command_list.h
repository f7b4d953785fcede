#ifndef TRUEUP_CLI_COMMAND_LIST_H
#define TRUEUP_CLI_COMMAND_LIST_H

#include "cli/command.h"

/* One a file: command_NAME.c. */
extern const struct command command_validate;
extern const struct command command_plan;
extern const struct command command_show;
extern const struct command command_apply;
extern const struct command command_destroy;
extern const struct command command_drift;
extern const struct command command_output;
extern const struct command command_recover;
extern const struct command command_undo;
extern const struct command command_state_list;
extern const struct command command_state_show;
extern const struct command command_state_history;
extern const struct command command_state_backup;
extern const struct command command_state_check;
extern const struct command command_state_rebuild;
extern const struct command command_state_mv;
extern const struct command command_state_rm;
extern const struct command command_state_rekey;
extern const struct command command_lease_show;
extern const struct command command_lease_break;
extern const struct command command_schema;
extern const struct command command_sim;
extern const struct command command_version;
extern const struct command command_help;

#endif
