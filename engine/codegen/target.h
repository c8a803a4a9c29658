/* A target for code generation: its features and its limits. Its renderer is in render/. */
#pragma once
#include "ir/uop.h"
#include "settings.h"

typedef struct _LsRenderer LsRenderer;      /* render/render.h */

/* A row of the table of targets. */
typedef struct {
  const char *name;                        /* "c", "metal" */
  const char *sentence;
  const char *syntax;                      /* of its text, by the name that GtkSourceView has for it */
  gboolean    has_local;                   /* GLOBAL and LOCAL axes become SPECIAL */
  guint       max_local;                   /* work items of a group */
  guint       local_bytes;                 /* memory of a group; 0: it has none, and GROUP makes two loops of a reduce */
  guint       max_threads;                 /* of a kernel; 0: it has none. A THREAD axis becomes SPECIAL (LS_THREAD_INDEX) */
  guint       vector_bytes;                /* of its widest vectors; 0: it has none */
  guint       lacks;                       /* LS_LACKS (…) of each op that its language has no words for */
  guint32     dtypes;                      /* 1 << LS_BASE_… for each that it has */
  const LsRenderer *renderer;
  gconstpointer dialects[LS_N_PROFILES];   /* for each profile what its renderer wants to know: of C-like ones an LsDialect */
} LsTarget;

/* Ops that a language may lack, and that decompose replaces. */
#define LS_LACK_TABLE(X) X (IDIV)
enum {
#define X(op) LS_LACK_##op,
  LS_LACK_TABLE (X)
#undef X
};
#define LS_LACKS(op) (1u << LS_LACK_##op)
#define LS_TARGET_ALL_DTYPES (((guint32) 1 << LS_N_BASES) - 1)
