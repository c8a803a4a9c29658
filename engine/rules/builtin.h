/* The built-in rules and the C functions that they name. */
#pragma once
#include "rewrite/rewrite.h"

typedef struct { const char *name; const char *text; } LsBuiltinRules;
/* Ends with a NULL name. Filled by ls_builtin_register. */
extern LsBuiltinRules ls_builtin_rules[];
/* Registers every builder and guard and reads the embedded rule files; once. */
void ls_builtin_register (void);

void ls_symbolic_register (void);
void ls_gates_register    (void);
void ls_tensor_rules_register (void);
void ls_ast_register      (void);
void ls_options_register  (void);
void ls_lower_register    (void);
void ls_expand_register   (void);
void ls_devectorize_register (void);
void ls_decompose_register (void);
