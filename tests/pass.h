/* One pass recorded by hand: what the driver does, for tests and benchmarks that make their links themselves. */
#pragma once
#include "trace/trace.h"

static inline LsPassLog *
begin_pass (LsTrace *trace, guint kernel, const char *stage, const char *set, LsRewriteMode mode, LsUOp *input, LsRuleLibrary *library)
{
  LsRecorder *recorder = ls_trace_recorder (trace, kernel);
  LsPassInfo info = { stage, NULL, set, mode };
  return recorder->begin (recorder, &info, input, library);
}

static inline LsPass *
end_pass (LsTrace *trace, LsPassLog *log, LsUOp *output, guint64 ns)
{
  LsRecorder *recorder = ls_trace_recorder (trace, 0);
  recorder->end (recorder, log, output, ns);
  return ls_trace_last_pass (trace);
}
