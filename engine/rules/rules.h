/* The rules as text, and the terms of those that look at nothing but the graph. */
#pragma once
#include "rewrite/rewrite.h"

G_BEGIN_DECLS

extern const LsTerm ls_symbolic_terms[], ls_gates_terms[], ls_tensor_terms[];

/* The text of a built-in file ("symbolic.rules"), or NULL. Static. */
const char *ls_rules_text (const char *file);

G_END_DECLS
