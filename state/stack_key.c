#include "state/stack_key.h"

#include "state/statements.h"

bool stack_key_set(struct database *database, struct slice old_id, struct slice new_id, bool *ret_set,
		   struct diagnostics *diagnostics)
{
	QUERY_AUTO query = query_start(database, STATEMENT_KEY_SET);

	query_text(&query, old_id);
	query_text(&query, new_id);
	if (!query_run(&query, diagnostics))
		return false;
	*ret_set = query_changes(&query) == 1;
	return true;
}
