/* Whether a kernel of a recording may be executed: its graph may have been written by anybody. */
#pragma once
#include "ask.h"
#include "run/run.h"

/* Whether no load and no store of a linear list is outside of its buffer: by the bounds of its indices, else by interpreting it on
 * their contents, which it changes. FALSE with LS_ERROR_RUN: one is, or it takes too long. Asked before code is made of a recording's
 * graph. */
gboolean      ls_kernel_stays_inside (LsContext *ctx, const GPtrArray *list, guint n_buffers, LsBuffer *const *buffers, GError **error);
