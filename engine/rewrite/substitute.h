/* The rule of UOp.substitute: nodes that a dictionary has are replaced by their values, all at once. The rule joins the library of a run
 * when it is first wanted; who makes a recording's rewrites again has it, too. */
#pragma once
#include "rewrite.h"

/* The library with the rule in addition, or the library itself where it is there already. Free with ls_rule_library_unref. */
LsRuleLibrary *ls_substitute_library (LsRuleLibrary *library, GError **error);
/* The dictionary of the thread's next rewrites with that rule, LsUOp * -> LsUOp *, or NULL, by which the rule never fires. Borrowed.
 * Returns the former one. */
GHashTable    *ls_substitute_with    (GHashTable *dictionary);
