/* Shared by the choosers of options: heuristic.c chooses, heuristic-modern.c as compilers of the modern profile's time did, an option
 * (options/) if only it has the knowledge. */
#pragma once
#include "accesses.h"

typedef struct {
  LsContext        *ctx;
  const LsSettings *settings;
  const LsTarget   *target;
  const LsAccesses *k;
  GArray           *out;      /* LsOpt */
} LsChoice;

/* An option of a range, with its reason; an amount below two is ignored. */
void ls_choose        (LsChoice *c, const LsOption *option, const LsUOp *range, gint64 amount, const char *reason,
                       ...) G_GNUC_PRINTF (5, 6);
void ls_choose_modern (LsChoice *c);
void ls_choose_threads (LsChoice *c);      /* options/thread.c */
