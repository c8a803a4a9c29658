#include "source-loops.h"
#include "ir/names.h"

#include <string.h>

static guint
indentation (const char *line)
{
  return (guint) strspn (line, " ");
}

/* The last line before the one that is indented no more than the first. */
static guint
last_inside (char *const *lines, guint first)
{
  guint last = first;
  while (lines[last] && (lines[last][0] == '\0' || indentation (lines[last]) > indentation (lines[first - 1])))
    last++;
  return last;
}

GArray *
ls_source_loops (LsTrace *trace, const LsKernel *kernel)
{
  GArray *loops = g_array_new (FALSE, FALSE, sizeof (LsSourceLoop));
  if (!kernel->source)
    return loops;
  g_auto (GStrv) lines = g_strsplit (kernel->source, "\n", -1);
  guint n_lines = g_strv_length (lines);
  const LsNames *names = ls_trace_names (trace, kernel->number);
  for (guint i = 0; i < kernel->source_links->len; i++) {
    const LsSourceLink *link = &g_array_index (kernel->source_links, LsSourceLink, i);
    const LsUOp *u = ls_context_node (trace->ctx, link->node);
    if (!u || !ls_has_loop_name (u) || link->line == 0 || link->line > n_lines)
      continue;
    LsSourceLoop loop = { link->node, link->line, link->line, indentation (lines[link->line - 1]), ls_type_of_loop (names, u) };
    if (u->op == LS_OP_RANGE)
      loop.last = last_inside (lines, loop.first);
    g_array_append_val (loops, loop);
  }
  return loops;
}

guint
ls_source_around (const GArray *loops, guint line, const LsSourceLoop **around, guint n)
{
  guint found = 0;
  for (guint i = 0; i < loops->len && found < n; i++) {
    const LsSourceLoop *loop = &g_array_index (loops, LsSourceLoop, i);
    if (loop->first < line && line <= loop->last)
      around[found++] = loop;
  }
  return found;
}
