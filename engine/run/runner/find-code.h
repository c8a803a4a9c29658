/* From a kernel's source to code that can be called: compiled once, kept while this process lives. */
#pragma once
#include "compile.h"

typedef struct {
  const char *compiler, *flags, *directory, *name, *source;
  guint       n_arguments, copy;      /* copy: equal sources share their code only in the same one */
  gboolean    lines;
} LsCodeRequest;

typedef struct {
  const LsCode *code;         /* or NULL: it does not compile. Stays until the next request */
  const char   *version;      /* of the compiler, "" where it does not say */
  char         *message;      /* what the compiler said, "" for nothing; free with g_free */
  guint64       ns;           /* what compiling took, without the table of lines */
} LsCodeAnswer;

/* Starts the thread that compiles. FALSE: there can be none. */
gboolean     ls_find_code_start (void);
/* By one thread at a time. */
LsCodeAnswer ls_find_code       (const LsCodeRequest *request);
