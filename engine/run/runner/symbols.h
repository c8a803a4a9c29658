/* The functions that kernels of tcc and LLVM may call: both compilers link to these and to nothing else. */
#pragma once

typedef struct { const char *name; const void *function; } LsSymbol;

const LsSymbol *ls_symbols     (void);                  /* ends with a NULL name */
const void     *ls_symbol_find (const char *name);      /* or NULL */
