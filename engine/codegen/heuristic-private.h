/* What the two files of the heuristic share: heuristic.c chooses, heuristic-modern.c chooses as the profile modern's time did. */
#pragma once
#include "accesses.h"

G_BEGIN_DECLS

typedef struct {
  LsContext        *ctx;
  const LsSettings *settings;
  const LsTarget   *target;
  const LsAccesses *k;
  GArray           *out;      /* LsOpt */
} LsChoice;

/* An option of a range, with its reason; of less than two it is none. */
void ls_choose        (LsChoice *c, LsOptKind kind, const LsUOp *range, gint64 amount, const char *reason, ...) G_GNUC_PRINTF (5, 6);
void ls_choose_modern (LsChoice *c);

G_END_DECLS
