/* LsRuleEditor: a rule's text, edited as a file of its own and tried on the program. Built-in files are not touched.
 *
 * Signal "run" (const char *path, const char *left_out): the rules were written to path; left_out is the rule that they replace, or
 * NULL. */
#pragma once
#include <adwaita.h>
#include "rewrite/rewrite.h"

#define LS_TYPE_RULE_EDITOR (ls_rule_editor_get_type ())
G_DECLARE_FINAL_TYPE (LsRuleEditor, ls_rule_editor, LS, RULE_EDITOR, AdwWindow)

/* A copy of the rule to begin with. Typed text is kept under the state folder. */
LsRuleEditor *ls_rule_editor_new       (GtkWindow *parent, const LsRule *rule);
