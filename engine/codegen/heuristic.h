/* What chooses options shares: heuristic.c chooses, heuristic-modern.c as the profile modern's time did, an option (options/) where
 * it alone knows. */
#pragma once
#include "accesses.h"

typedef struct {
  LsContext        *ctx;
  const LsSettings *settings;
  const LsTarget   *target;
  const LsAccesses *k;
  GArray           *out;      /* LsOpt */
} LsChoice;

/* An option of a range, with its reason; of less than two it is none. */
void ls_choose        (LsChoice *c, const LsOption *option, const LsUOp *range, gint64 amount, const char *reason,
                       ...) G_GNUC_PRINTF (5, 6);
void ls_choose_modern (LsChoice *c);
void ls_choose_threads (LsChoice *c);      /* options/thread.c */
