/* Memory for kernels that are not trusted: buffers between fences, which show writes outside them. */
#pragma once
#include "run/run.h"

#define LS_FENCE   4096      /* bytes before and after each buffer, which no kernel may write */
#define LS_FENCE_A 0x5a      /* the fence's bytes */
#define LS_FENCE_B 0xc3

/* Buffers by argument, each inside of a larger one of the runner. n 0: there are none. */
typedef struct { guint n; LsBuffer **buffers, **whole; gsize small; } LsFenced;

void      ls_fenced_init    (LsFenced *memory, guint n);
/* The runner's buffers go with it. */
void      ls_fenced_clear   (LsFenced *memory);
/* Makes the buffer of an argument. NULL with LS_ERROR_RUN. */
LsBuffer *ls_fenced_add     (LsFenced *memory, LsRunner *runner, guint argument, LsDType dtype, guint64 n, GError **error);
/* Buffers hold these contents, by argument, and the fences this byte. */
void      ls_fenced_restore (const LsFenced *memory, guint8 *const *contents, guint8 fence);
/* The bytes of the fences that were written since then: "4 bytes after the end of argument 0"; or NULL. Free with g_free. */
char     *ls_fenced_outside (const LsFenced *memory, guint8 fence);
/* The first argument after the results that was written since then, or 0. */
guint     ls_fenced_input   (const LsFenced *memory, guint n_results, guint8 *const *contents);
