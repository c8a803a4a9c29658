/* verify and UOp.substitute: an honest pass is proved, and each lie in it is found, in a recording with the engine's rules alone, where
 * every pass is made again, and in one with rules of its own, of which only this pass can be. The lies are saved, so that seals and
 * tables agree with them. */
#include "fixture.h"
#include "ask/verify.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#define GRAPH "i, j = UOp.variable('i', 0, 9), UOp.variable('j', 0, 9)\nu = (i * 3 + j) * (i + 1)\n" \
              "v = u.substitute({i: UOp.const(dtypes.int, 7), j: i + 2})\n"

static const struct { const char *program; LsVerdict honest; } programs[] = {
  { "from tinygrad.uop.ops import UOp\nfrom tinygrad import dtypes\n" GRAPH "v.simplify()\n", LS_VERIFY_PROVED },
  { "from tinygrad.uop.ops import UOp, PatternMatcher, graph_rewrite\nfrom tinygrad import dtypes\n" GRAPH
    "graph_rewrite(v * 1, PatternMatcher('# One.\\none: x:int * 1 -> x\\n'))\n", LS_VERIFY_UNJUDGED },
};

static LsPass *
substitute_of (LsTrace *trace)
{
  for (guint i = 0; i < trace->passes->len; i++)
    if (strcmp (((LsPass *) trace->passes->pdata[i])->set, LS_SUBSTITUTE_SET) == 0)
      return trace->passes->pdata[i];
  g_assert_not_reached ();
}

/* The n-th link with that rule, or without: a rebuilt node. */
static LsLink *
link_of (LsPass *pass, gboolean step, guint n)
{
  for (guint i = 0; i < pass->links->len; i++) {
    LsLink *l = &g_array_index (pass->links, LsLink, i);
    if ((l->rule != LS_LINK_REBUILD) == step && n-- == 0)
      return l;
  }
  g_assert_not_reached ();
}

static void lie_not (LsPass *pass) { }
/* another value: the other key's */
static void lie_value (LsPass *pass) { link_of (pass, TRUE, 0)->after = link_of (pass, TRUE, 1)->after; }
/* another key: a node that the graph has above it */
static void lie_key (LsPass *pass) { link_of (pass, TRUE, 0)->before = link_of (pass, FALSE, 0)->before; }
/* each has the other's value */
static void
lie_swapped (LsPass *pass)
{
  LsLink *a = link_of (pass, TRUE, 0), *b = link_of (pass, TRUE, 1);
  guint32 after = a->after;
  a->after = b->after;
  b->after = after;
}
/* one key with two values */
static void lie_twice (LsPass *pass) { link_of (pass, TRUE, 1)->before = link_of (pass, TRUE, 0)->before; }
/* a node over other sources than the replaced ones */
static void lie_rebuilt (LsPass *pass) { link_of (pass, FALSE, 0)->after = link_of (pass, FALSE, 1)->after; }
/* a rebuilt node that was not changed */
static void lie_unchanged (LsPass *pass) { link_of (pass, FALSE, 1)->after = link_of (pass, FALSE, 1)->before; }
/* another rule */
static void lie_rule (LsPass *pass) { link_of (pass, TRUE, 0)->rule = 0; }
/* a replacement that is said to be a rebuilding */
static void lie_kind (LsPass *pass) { link_of (pass, TRUE, 0)->rule = LS_LINK_REBUILD; }
/* another result */
static void lie_output (LsPass *pass) { pass->output = link_of (pass, FALSE, 0)->after; }
/* no last link: its replaced root is missing */
static void lie_missing (LsPass *pass) { pass->links->len--; }

static const struct { const char *what; void (*lie) (LsPass *pass); } lies[] = {
  { "nothing", lie_not }, { "value", lie_value }, { "key", lie_key }, { "swapped values", lie_swapped }, { "two values", lie_twice },
  { "rebuilt node", lie_rebuilt }, { "unchanged node", lie_unchanged }, { "rule", lie_rule }, { "kind", lie_kind },
  { "output", lie_output }, { "missing link", lie_missing },
};

/* What verify says of the recording in the file; a refused file differs. */
static LsVerdict
verdict_of (const char *path, char **said)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LsTrace) trace = ls_trace_load (path, &error);
  LsVerify *v = trace ? ls_trace_verify (trace) : NULL;
  LsVerdict verdict = v ? v->verdict : LS_VERIFY_DIFFERS;
  *said = g_strdup (!v ? error->message : v->messages->len ? v->messages->pdata[0] : v->unjudged->len ? v->unjudged->pdata[0] : "");
  g_assert_true (!v || v->sealed == LS_SEALED);
  ls_verify_free (v);
  return verdict;
}

static void
test_lies (gconstpointer data)
{
  guint program = GPOINTER_TO_UINT (data);
  g_autofree char *path = g_strdup_printf ("%s/substitute-%d.lscope", g_get_tmp_dir (), (int) getpid ());
  for (guint i = 0; i < G_N_ELEMENTS (lies); i++) {
    g_autoptr (LsSession) s = FIXTURE_RUN (.text = programs[program].program);
    g_autoptr (GError) error = NULL;
    g_autofree char *said = NULL;
    lies[i].lie (substitute_of (s->trace));
    g_assert_true (ls_trace_save (s->trace, path, &error));
    g_assert_no_error (error);
    LsVerdict verdict = verdict_of (path, &said), expected = i ? LS_VERIFY_DIFFERS : programs[program].honest;
    g_test_message ("%s: %s", lies[i].what, said);
    if (verdict != expected)
      g_test_fail_printf ("%s: %s: %s", lies[i].what, ls_verdict_name (verdict), said);
  }
  g_unlink (path);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/ask/substitute/judged", GUINT_TO_POINTER (0), test_lies);
  g_test_add_data_func ("/ask/substitute/beside-other-rules", GUINT_TO_POINTER (1), test_lies);
  return g_test_run ();
}
