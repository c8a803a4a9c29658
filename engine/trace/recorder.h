/* What the rewrite driver writes while a pass runs. Inline: it is called for every step. */
#pragma once
#include "trace.h"

struct _LsPassRecorder {
  LsTrace   *trace;
  LsPass    *pass;
  guint      n_rules;
  LsRuleStat stats[];      /* by rule of the library */
};

static inline LsRuleStat *ls_pass_recorder_stat (LsPassRecorder *r, guint rule) { return &r->stats[rule]; }
