/* The table of compilers: what each compiles and how it runs. It needs nothing of the engine, for lazyscope-runner reads it too. */
#pragma once
#include <glib.h>

typedef enum {
  LS_COMPILER_LIBRARY,          /* linked to lazyscope-runner */
  LS_COMPILER_LOADED,           /* a library that lazyscope-runner-llvm loads, if it is installed */
  LS_COMPILER_PROGRAM,          /* an installed program of that name, started by lazyscope-runner */
  LS_COMPILER_INTERPRETER,      /* in the calling process */
} LsCompilerHow;

typedef struct {
  const char   *name;
  const char   *target;         /* the name of the target whose text it compiles; NULL: it takes the linear list, of any */
  LsCompilerHow how;
  gboolean      has_half;       /* half and bfloat16 as types */
  gboolean      optimizes;      /* its code is worth timing */
  const char   *flags;          /* always given, separated by spaces; of those that optimize -O2 comes before what is asked for */
  const char   *native;         /* code for this very machine; "" for none */
  const char   *gated;          /* additional flags for a text that loads only where a condition is true; "" for none */
  const char   *sentence;
} LsCompiler;

#define LS_PASSES_FLAG "-passes="      /* of LLVM: the text of a pipeline of passes */

extern const LsCompiler ls_compilers[];      /* ends with a NULL name */

const LsCompiler *ls_compiler_find      (const char *name);      /* or NULL */
/* The first that takes a target: what runs where none is named. */
const LsCompiler *ls_compiler_default   (const char *target);
/* The compiler that takes the linear list and has every dtype. */
const LsCompiler *ls_compiler_reference (void);
gboolean          ls_compiler_takes     (const LsCompiler *compiler, const char *target);
/* Whether it reads that target's text as it is, or no text at all. Else it takes the kernel in its own language, from the same rows. */
gboolean          ls_compiler_reads     (const LsCompiler *compiler, const char *target);
gboolean          ls_compiler_is_loaded (const char *name);
/* Whether a compiler has a flag of those that leave results as they are; flag: NULL, or set to the first that it does not have (free with
 * g_free). cflags: or NULL. */
gboolean          ls_compiler_has_flags (const LsCompiler *compiler, const char *cflags, char **flag);
/* The flags besides the fixed ones: "-O2 -march=native -funroll-loops"; free with g_free. cflags: or NULL. */
char             *ls_compiler_options   (const LsCompiler *compiler, gboolean native, const char *cflags);
/* Whether a user's flags leave the meaning of the arithmetic and the way code is called as they are. FALSE with G_SHELL_ERROR_FAILED:
 * which does not, and why. */
gboolean          ls_compiler_check_flags (const char *cflags, GError **error);
/* Whether a text is a pipeline of LLVM's passes of which none writes anything or changes what arithmetic means. FALSE with
 * G_SHELL_ERROR_FAILED: which part is not. */
gboolean          ls_compiler_check_passes (const char *passes, GError **error);
/* The names of those that take a target, or of all (NULL); free with g_free. */
char             *ls_compiler_list      (const char *target, const char *separator);
