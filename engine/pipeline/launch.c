/* From a kernel with its text to times, code and messages. */
#include "launch.h"

#include <string.h>

#include "ir/axis.h"
#include "run/compiler.h"

static gboolean
uses_half (const GPtrArray *list)
{
  for (guint i = 0; i < list->len; i++) {
    LsBase base = ls_dtype_base (((LsUOp *) list->pdata[i])->dtype);
    if (base == LS_BASE_HALF || base == LS_BASE_BFLOAT16)
      return TRUE;
  }
  return FALSE;
}

guint
ls_launch_keep_used (const GPtrArray *list, guint n, LsBuffer **buffers)
{
  gboolean *used = g_newa0 (gboolean, n);
  guint n_used = 0;
  for (guint i = 0; i < list->len; i++) {
    const LsUOp *u = list->pdata[i];
    gint64 number = u->op == LS_OP_DEFINE_GLOBAL ? u->arg.i : u->op == LS_OP_DEFINE_VAR ? u->arg.var->position : -1;
    if (number >= 0 && number < n)
      used[number] = TRUE;
  }
  for (guint i = 0; i < n; i++)
    if (used[i])
      buffers[n_used++] = buffers[i];
  return n_used;
}

guint
ls_launch_threads (const GPtrArray *list)
{
  for (guint i = 0; i < list->len; i++) {
    const LsUOp *u = list->pdata[i];
    if (ls_is_thread_index (u) && u->n_src == 1 && u->src[0]->op == LS_OP_CONST)
      return (guint) CLAMP (u->src[0]->arg.i, 1, G_MAXUINT16);
  }
  return 0;
}

static char *
with_prelude (const LsTarget *target, const LsSettings *settings, const char *source, LsGiven given)
{
  g_autofree char *prelude = ls_render_prelude (target, settings, source, given);
  return *prelude ? g_strconcat ("#line 1 \"prelude.c\"\n", prelude, "\n#line 1 \"kernel.c\"\n", source, NULL) : g_strdup (source);
}

/* The functions that a source calls, and names that the classic and modern dialects lean on, are not part of the text shown. */
char *
ls_launch_source (const LsTarget *target, const LsSettings *settings, const char *source)
{
  return with_prelude (target, settings, source, LS_GIVEN_BY_RUNNER);
}

char *
ls_launch_source_to_edit (const LsTarget *target, const LsSettings *settings, const char *source)
{
  return with_prelude (target, settings, source, LS_GIVEN_BY_NOBODY);
}

char *
ls_launch_source_by_hand (const char *source)
{
  const LsSettings settings = { .TRANSCENDENTAL = 1 };
  return with_prelude (ls_target_find ("c"), &settings, source, LS_GIVEN_BY_RUNNER);
}

void
ls_launch_text_clear (LsLaunchText *text)
{
  g_clear_pointer (&text->text, g_free);
  g_clear_pointer (&text->lines, g_free);
  text->n_lines = 0;
}

/* The list in the compiler's language; rows: NULL, or its procedure's (free with g_array_unref). */
static char *
write_text (LsContext *ctx, const char *name, const LsSettings *settings, const LsCompiler *compiler, const GPtrArray *list, GArray **rows,
            GError **error)
{
  const LsTarget *target = ls_target_find (compiler->target);
  LsProcedure *procedure = ls_procedure_new (ctx, name, list->len, (LsUOp **) list->pdata, error);
  if (!procedure)
    return NULL;
  LsRendered *rendered = ls_render (ctx, procedure, list->len, (LsUOp **) list->pdata, NULL, target, settings, error);
  char *text = rendered ? g_steal_pointer (&rendered->source) : NULL;
  if (rows)
    *rows = g_array_ref (procedure->rows);
  ls_rendered_free (rendered);
  ls_procedure_free (procedure);
  return text;
}

char *
ls_launch_text (LsContext *ctx, const char *name, const LsTarget *target, const LsSettings *settings, const LsCompiler *compiler,
                const char *source, const GPtrArray *list, GError **error)
{
  return ls_compiler_reads (compiler, target->name) ? ls_launch_source (target, settings, source)
                                                    : write_text (ctx, name, settings, compiler, list, NULL, error);
}

const char *
ls_launch_nothing (const LsCompiler *compiler)
{
  return compiler->how == LS_COMPILER_LOADED ? "define void @ls_nothing(ptr %a) nounwind {\n  ret void\n}\n"
                                             : "void ls_nothing (void *a) { }\n";
}

/* By row of the procedure, from 1: the line of the kernel's source that has the row's node. */
static void
map_rows (const LsLauncher *s, const LsKernel *k, const GArray *rows, LsLaunchText *out)
{
  g_autoptr (GHashTable) lines = g_hash_table_new (NULL, NULL);
  for (guint i = 0; s->rendered && i < s->rendered->exprs->len; i++) {
    const LsRenderedExpr *e = &g_array_index (s->rendered->exprs, LsRenderedExpr, i);
    g_hash_table_insert (lines, GUINT_TO_POINTER (e->node->id), GUINT_TO_POINTER (e->line));
  }
  for (guint i = 0; !s->rendered && i < k->exprs->len; i++) {
    const LsExpr *e = &g_array_index (k->exprs, LsExpr, i);
    g_hash_table_insert (lines, GUINT_TO_POINTER (e->node), GUINT_TO_POINTER (e->line));
  }
  out->n_lines = rows->len + 1;
  out->lines = g_new0 (guint32, out->n_lines);
  for (guint i = 0; i < rows->len; i++)
    out->lines[i + 1] = GPOINTER_TO_UINT (g_hash_table_lookup (lines, GUINT_TO_POINTER (g_array_index (rows, LsProcRow, i).node)));
}

/* A table of rows becomes one of lines of the kernel's source. */
static void
rows_to_lines (GArray *lines, const LsLaunchText *text)
{
  guint kept = 0;
  for (guint i = 0; i < lines->len; i++) {
    LsCodeLine line = g_array_index (lines, LsCodeLine, i);
    line.line = line.line < text->n_lines ? text->lines[line.line] : 0;
    if (!kept || g_array_index (lines, LsCodeLine, kept - 1).line != line.line)
      g_array_index (lines, LsCodeLine, kept++) = line;
  }
  g_array_set_size (lines, kept);
}

/* The kernel's text for the compiler. rows: the lines of its code will be rows of it. */
static const char *
text_for (const LsLauncher *s, LsContext *ctx, const LsKernel *k, const LsCompiler *compiler, const GPtrArray *list, LsLaunchText *made,
          gboolean *rows, GError **error)
{
  const char *source = k->source ? k->source : "";
  *rows = compiler && compiler->how == LS_COMPILER_LOADED;
  if (s->by_hand)
    return made->text = ls_launch_source_by_hand (source);
  if (!*rows)
    return made->text = ls_launch_source (s->target, s->settings, source);
  LsLaunchText *own = s->own ? s->own : made;
  if (own->text)
    return own->text;
  g_autoptr (GArray) of_rows = NULL;
  own->text = write_text (ctx, k->name, s->settings, compiler, list, &of_rows, error);
  if (own->text && s->lines)
    map_rows (s, k, of_rows, own);
  return own->text;
}

static gboolean
run_by (const LsLauncher *s, LsContext *ctx, LsLaunch how, LsKernel *k, const LsCompiler *compiler, const GPtrArray *list, guint n,
        LsBuffer *const *all, LsLaunchResult *result, GError **error)
{
  g_autofree LsBuffer **buffers = g_memdup2 (all, n * sizeof *all);
  LsLaunchText made = { 0 };
  gboolean rows;
  const char *source = text_for (s, ctx, k, compiler, list, &made, &rows, error);
  if (!source)
    return FALSE;
  if (!compiler || compiler->how != LS_COMPILER_INTERPRETER)
    n = ls_launch_keep_used (list, n, buffers);
  how.compiler = compiler ? compiler->name : s->compiler;
  how.name = s->by_hand ? s->by_hand : k->name;
  how.source = source;
  how.n_uops = list->len;
  how.uops = (LsUOp **) list->pdata;
  how.n_buffers = n;
  how.buffers = buffers;
  how.threads = ls_launch_threads (list);
  how.timeout_ms = (guint) s->settings->TIMEOUT_MS;
  how.lines = s->lines;
  gboolean ok = ls_runner_launch (s->runner, &how, result, error);
  if (rows && result->lines)
    rows_to_lines (result->lines, s->own ? s->own : &made);
  ls_launch_text_clear (&made);
  return ok;
}

/* The kernel has this compiler's code and times. */
static void
take_code (LsTrace *t, LsKernel *k, const LsCompiler *compiler, const char *flags, LsLaunchResult *r, guint batch)
{
  k->compiler = ls_trace_string (t, compiler ? compiler->name : "");
  k->compiler_version = ls_trace_string (t, r->version ? r->version : "");
  k->flags = ls_trace_string (t, compiler && compiler->optimizes ? (flags ? flags : "-O2") : "");
  k->compile_ms = r->compile_ms;
  g_array_set_size (k->run_ns, 0);
  for (guint i = 0; r->run_ns && i < r->n_runs; i++) {
    guint64 ns = (r->run_ns[i] + batch / 2) / batch;
    g_array_append_val (k->run_ns, ns);
  }
  g_free (k->code);
  k->code = g_steal_pointer (&r->code);
  k->n_code = r->n_code;
  k->code_address = r->code_address;
  g_array_set_size (k->code_lines, 0);
  if (r->lines)
    g_array_append_vals (k->code_lines, r->lines->data, r->lines->len);
}

#define LONG_NS  3e8        /* of a kernel's values, which are not waited for any longer if another compiler is faster */
#define LEAST_NS 20000      /* of a timed run, so that reading the clock does not count */

/* Times the kernel with the timer's code, on a copy of the buffers that it writes. */
static void
time_by (const LsLauncher *s, LsTrace *t, LsKernel *k, const LsCompiler *timer, const GPtrArray *list, guint n, LsBuffer *const *all)
{
  g_autofree LsBuffer **buffers = g_memdup2 (all, n * sizeof *all);
  g_autoptr (GError) error = NULL;
  guint n_copies = 0;
  LsLaunch how = { .flags = s->timer_flags, .repeats = 1, .warm_ups = 1 };
  LsLaunchResult r = { 0 };
  for (; n_copies < ls_kernel_n_outputs (k); n_copies++) {
    const LsBuffer *of = all[n_copies];
    if (!(buffers[n_copies] = ls_runner_buffer_new (s->runner, of->id, of->dtype, of->n, &error)))
      break;
    memcpy (buffers[n_copies]->data, of->data, of->nbytes);
  }
  gboolean ok = n_copies == ls_kernel_n_outputs (k) && run_by (s, t->ctx, how, k, timer, list, n, buffers, &r, &error);
  double compile_ms = r.compile_ms;
  if (ok) {
    how.repeats = (guint) s->settings->REPEATS;
    how.batch = (guint) (r.run_ns[0] < LEAST_NS ? LEAST_NS / MAX (r.run_ns[0], 1) + 1 : 1);
    ls_launch_result_clear (&r);
    ok = run_by (s, t->ctx, how, k, timer, list, n, buffers, &r, &error);
  }
  if (ok) {
    take_code (t, k, timer, s->timer_flags, &r, how.batch);
    k->compile_ms = compile_ms;
  } else {
    g_free (k->compile_message);
    k->compile_message = g_strdup_printf ("timed by %s: %.*s", k->compiler, (int) strcspn (error->message, "\n"), error->message);
  }
  while (n_copies-- > 0)
    ls_runner_buffer_free (s->runner, buffers[n_copies]);
  ls_launch_result_clear (&r);
}

#define ROW_NS  1.5       /* of an instruction of tcc's code, */
#define SLOW_NS 6.0       /* of a division of integers, */
#define CALL_NS 15.0      /* and of a call of a function */

double
ls_launch_plain_ns (const GPtrArray *list)
{
  g_autoptr (GArray) outer = g_array_new (FALSE, FALSE, sizeof (double));      /* iterations around each open loop */
  double times = 1, ns = 0;
  for (guint i = 0; i < list->len; i++) {
    const LsUOp *u = list->pdata[i];
    if (u->op == LS_OP_RANGE || u->op == LS_OP_IF) {
      gint64 n = u->op == LS_OP_IF || !u->n_src ? 1 : u->src[0]->op == LS_OP_CONST ? u->src[0]->arg.i
                                                    : u->src[0]->op == LS_OP_DEFINE_VAR ? u->src[0]->arg.var->max : 1;
      g_array_append_val (outer, times);
      times *= (double) MAX (n, 0);
    } else if ((u->op == LS_OP_ENDRANGE || u->op == LS_OP_ENDIF) && outer->len) {
      times = g_array_index (outer, double, outer->len - 1);
      g_array_set_size (outer, outer->len - 1);
    } else if (u->op == LS_OP_EXP2 || u->op == LS_OP_LOG2 || u->op == LS_OP_SIN || u->op == LS_OP_POW)
      ns += times * CALL_NS;
    else if (u->op == LS_OP_IDIV || u->op == LS_OP_MOD)
      ns += times * SLOW_NS;
    else if (ls_op_is_alu (u->op) || u->op == LS_OP_CAST || u->op == LS_OP_LOAD || u->op == LS_OP_STORE || u->op == LS_OP_PHI)
      ns += times * ROW_NS;
  }
  return ns * MAX (ls_launch_threads (list), 1);
}

/* The kernel is the interpreter's, for a reason that is the compiler's message from then on. */
static const LsCompiler *
leave_to_interpreter (LsKernel *k, char *why)
{
  g_free (k->compile_message);
  k->compile_message = why;
  return ls_compiler_reference ();
}

gboolean
ls_kernel_launch (const LsLauncher *s, LsTrace *t, LsKernel *k, const GPtrArray *list, guint n, LsBuffer *const *buffers, GError **error)
{
  const LsCompiler *compiler = ls_compiler_find (s->compiler);
  /* a text in which half is a type is for compilers that have it */
  if (!s->by_hand && compiler && !compiler->has_half && ls_render_writes_half (s->target, s->settings) && uses_half (list))
    compiler = leave_to_interpreter (k, g_strdup_printf ("%s has no type half, which this profile needs: the interpreter runs it",
                                                         compiler->name));
  double plain_ns = s->quick && !s->by_hand && compiler == ls_compiler_find (s->compiler) ? ls_launch_plain_ns (list) : 0;
  gboolean is_quick = plain_ns > LONG_NS;
  const char *flags = is_quick ? s->quick_flags : s->flags;
  if (is_quick) {
    g_free (k->compile_message);
    k->compile_message = g_strdup_printf ("%s's code would take about %.1f s: the values are those of %s's code", compiler->name,
                                          plain_ns / 1e9, s->quick);
    compiler = ls_compiler_find (s->quick);
  }
  LsLaunch how = { .flags = flags, .repeats = s->timer ? 1 : (guint) s->settings->REPEATS };
  LsLaunchResult r = { 0 };
  GError *own = NULL;
  gboolean ok = run_by (s, t->ctx, how, k, compiler, list, n, buffers, &r, &own);
  if (!ok && is_quick && (r.compile_failed || g_error_matches (own, LS_ERROR, LS_ERROR_COMPILE))) {
    ls_launch_result_clear (&r);
    g_clear_error (&own);
    is_quick = FALSE;
    g_free (k->compile_message);
    k->compile_message = g_strdup ("");
    compiler = ls_compiler_find (s->compiler);
    flags = how.flags = s->flags;
    ok = run_by (s, t->ctx, how, k, compiler, list, n, buffers, &r, &own);
  }
  /* The texts of the profiles are as they were: some no compiler takes (the smallest int64 without a suffix), and they divide as C does,
   * which ends the process where our division has a result. The data that the kernel wrote until then is written again. Vectors are for
   * compilers that have them. */
  gboolean of_profile = ls_settings_profile (s->settings) != LS_PROFILE_DEFAULT,
           has_vectors = !s->settings->DEVECTORIZE && r.compile_failed;
  if (!ok && !s->by_hand && (r.divided || r.compile_failed) && compiler && (of_profile || has_vectors)) {
    g_autofree char *said = g_strndup (r.message, strcspn (r.message, "\n"));
    char *why = r.divided ? g_strdup_printf ("%s's code divides an integer by zero, or the smallest integer by -1, which is a fault: the "
                                             "interpreter runs it", compiler->name)
                          : g_strdup_printf (of_profile ? "%s does not compile this profile (%s): the interpreter runs it"
                                                        : "%s does not compile vectors (DEVECTORIZE=0) (%s): the interpreter runs it",
                                             compiler->name, said);
    compiler = leave_to_interpreter (k, why);
    ls_launch_result_clear (&r);
    g_clear_error (&own);
    ok = run_by (s, t->ctx, how, k, compiler, list, n, buffers, &r, &own);
  }
  if (r.message && *r.message) {
    g_free (k->compile_message);
    k->compile_message = g_steal_pointer (&r.message);
  }
  take_code (t, k, compiler, flags, &r, 1);
  k->values_compiler = k->compiler;
  const LsCompiler *timer = s->timer ? ls_compiler_find (s->timer) : NULL;
  if (s->by_hand && timer && !ls_compiler_reads (timer, s->target->name))
    timer = ls_compiler_for_text (s->target->name);
  /* a kernel left to the interpreter cannot be compiled as intended */
  if (ok && timer && ls_compiler_takes (timer, s->target->name) && (is_quick || compiler == ls_compiler_find (s->compiler)))
    time_by (s, t, k, timer, list, n, buffers);
  if (!ok)
    k->run_error = g_strdup (own->message);
  if (own)
    g_propagate_error (error, own);
  ls_launch_result_clear (&r);
  return ok;
}
