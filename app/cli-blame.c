/* lazyscope-cli blame: traces a line of generated source back to the program, or a program line to its code. */
#include "cli.h"

#include "ir/print.h"
#include "ask/ask.h"

static void
print_nodes (LsTrace *t, const char *title, const GArray *nodes)
{
  printf ("%s\n", title);
  for (guint i = 0; i < nodes->len; i++) {
    guint32 id = g_array_index (nodes, guint32, i);
    g_autofree char *summary = ls_uop_summary (ls_context_node (t->ctx, id));
    printf (_("  node %-6u %s\n"), id, summary);
  }
}

static void
print_kinds (const char *of, const guint *n)
{
  printf (_("  %s: %u mapped, %u unmapped, %u ambiguous, %u synthetic\n"), of, n[LS_BLAME_MAPPED], n[LS_BLAME_UNMAPPED],
          n[LS_BLAME_AMBIGUOUS], n[LS_BLAME_SYNTHETIC]);
}

static void
print_text (const LsBlameAnswer *of)
{
  const LsBlame *b = of->blame;
  LsTrace *t = b->trace;
  const LsKernel *k = ls_trace_kernel (t, b->kernel);
  if (of->instruction) {
    g_autofree char *text = ls_instruction_print (of->instruction);
    printf (_("instruction %s\n"), g_strchug (text));
  }
  if (!b->line && b->nodes->len == 0) {
    printf (_("kernel %u %s: not mapped: its compiler assigns the instruction to no line of the source\n"), b->kernel, k->name);
    return;
  }
  if (b->line) {
    g_autofree char *text = ls_source_line (k->source, b->line);
    printf (_("kernel %u %s, line %u: %s\n"), b->kernel, k->name, b->line, text);
  } else {
    printf (_("kernel %u %s, node %u\n"), b->kernel, k ? k->name : _("(the tensor level)"),
            g_array_index (b->nodes, LsBlameNode, 0).node);
  }
  if (k && k->same_as > 0)
    printf (_("its code is that of kernel %d\n"), k->same_as);
  if (b->nodes->len == 0) {
    if (k && ls_kernel_by_hand (k))
      printf (_("The line is hand-written, in %s: it has no nodes.\n"), ls_kernel_by_hand (k));
    else
      puts (_("The line shows no node: it belongs to the function's frame."));
    return;
  }
  g_autofree char *direct = ls_blame_reason (t, b), *shown = direct ? ls_sentence_shown (direct) : NULL;
  if (shown)
    puts (shown);
  puts (_("listing"));
  for (guint i = 0; i < b->nodes->len; i++) {
    const LsBlameNode *n = &g_array_index (b->nodes, LsBlameNode, i);
    g_autofree char *summary = ls_uop_summary (ls_context_node (t->ctx, n->node));
    gint row = ls_row_number (of->rows, n->node);
    g_autofree char *number = row < 0 ? g_strdup ("-") : g_strdup_printf ("%d", row);
    printf (_("  row %-4s node %-6u %-28s %s\n"), number, n->node, summary, ls_shown (ls_blame_kind_name (n->kind)));
  }
  puts (_("rewrites, latest first"));
  guint rebuilt = 0;
  for (guint i = 0; i < b->origins->len; i++) {
    const LsOrigin *o = &g_array_index (b->origins, LsOrigin, i);
    const LsPass *p = t->passes->pdata[o->pass];
    const char *rule = ls_origin_rule (t, o), *reason = p->kind == LS_PASS_MAP ? ls_origin_reason (t, o) : NULL;
    if (!rule && !reason) {
      rebuilt++;
      continue;
    }
    g_autofree char *from = ls_uop_summary (ls_context_node (t->ctx, o->node)), *made = ls_uop_summary (ls_context_node (t->ctx, o->made));
    g_autofree char *place = reason ? g_strdup_printf ("%u/%s", p->kernel, p->name)
                                    : g_strdup_printf ("%u/%s/%u", p->kernel, p->name, o->step);
    g_autofree char *link = ls_cli_link (t, place, -22), *why = ls_cli_padded (reason ? ls_shown (reason) : rule, -24);
    printf ("  %s %s %6u <- %-6u %s <- %s\n", link, why, o->made, o->node, made, from);
  }
  printf (_("  and %u rebuilt with other sources\n"), rebuilt);
  print_nodes (t, _("kernel graph"), b->ast);
  puts (_("schedule"));
  for (guint i = 0; i < b->decisions->len; i++) {
    const LsDecision *d = &g_array_index (t->decisions, LsDecision, g_array_index (b->decisions, guint, i));
    g_autofree char *summary = ls_uop_summary (ls_context_node (t->ctx, d->node));
    printf (_("  kernel %u stores node %u, %s: %s\n"), d->kernel, d->node, summary, ls_shown (d->reason));
  }
  puts (_("program"));
  for (guint i = 0; i < b->lines->len; i++) {
    guint line = g_array_index (b->lines, guint, i);
    g_autofree char *text = ls_source_line (t->program_text, line);
    printf (_("  line %u: %s\n"), line, text);
    for (guint c = 0; c < b->calls->len; c++) {
      guint call = g_array_index (b->calls, guint, c);
      const LsCall *made = &g_array_index (t->calls, LsCall, call);
      if (made->line != line)
        continue;
      g_autofree char *path = ls_call_path (t, call);
      printf (_("    column %-3u %s %s\n"), made->column, path, made->args);
    }
  }
  puts (_("coverage"));
  print_kinds (_("this line"), b->n_kind);
  g_autofree char *kernel = g_strdup_printf (_("kernel %u"), b->kernel);
  print_kinds (kernel, of->n_kernel);
  if (of->unmapped->len)
    print_nodes (t, _("unmapped nodes"), of->unmapped);
}

static void
print_from (const LsBlameFrom *from)
{
  g_autofree char *text = ls_source_line (from->trace->program_text, from->line);
  guint kernel = 0, last = 0;
  printf (_("line %u: %s\n"), from->line, text);
  if (!from->found->len)
    puts (_("No generated code descends from it."));
  for (guint i = 0; i < from->found->len; i++) {
    const LsDescendant *d = &g_array_index (from->found, LsDescendant, i);
    const LsKernel *k = ls_trace_kernel (from->trace, d->kernel);
    g_autofree char *code = ls_source_line (k->source, d->line);
    if (d->kernel != kernel)
      printf (_("kernel %u %s\n"), d->kernel, k->name);
    if (d->kernel != kernel || d->line != last)
      printf (_("  line %-4u %s\n"), d->line, code);
    kernel = d->kernel;
    last = d->line;
  }
}

static gboolean
forward (const LsCliOptions *o, LsTrace *t, GError **error)
{
  g_autoptr (GArray) found = ls_blame_from (t, (guint) o->from, error);
  LsBlameFrom from = { t, (guint) o->from, found };
  if (found && !ls_cli_answer (o, &ls_blame_from_answer, &from, t->ctx, &from))
    print_from (&from);
  return found != NULL;
}

static void
answer (const LsCliOptions *o, LsTrace *t, const LsBlame *b, const LsInstruction *instruction)
{
  LsBlameAnswer of;
  ls_blame_answer_init (&of, b, instruction, ls_cli_style (o, t));
  if (!ls_cli_answer (o, &ls_blame_answer, &of, t->ctx, &of))
    print_text (&of);
  ls_blame_answer_clear (&of);
}

/* The node of a row as the listing numbers them. */
static gboolean
node_of_row (const LsCliOptions *o, LsTrace *t, const LsKernel *k, int row, guint32 *node, GError **error)
{
  g_autoptr (GPtrArray) list = ls_kernel_list (t, k);
  g_autoptr (GArray) rows = ls_listing_rows (t->ctx, list->len, (LsUOp **) list->pdata, ls_cli_style (o, t));
  if (row < 0 || (guint) row >= rows->len)
    return ls_cli_refuse (error, "the listing of kernel %u has rows 0 to %d; there is no row %d", k->number, (int) rows->len - 1, row);
  *node = g_array_index (rows, LsListingRow, row).node;
  return TRUE;
}

/* An address as the disassembly shows it, hexadecimal with or without 0x, or +OFFSET from the function's first byte. */
static gboolean
parse_address (const char *text, const LsKernel *k, guint64 *address, GError **error)
{
  gboolean relative = *text == '+';
  const char *digits = text + relative;
  if (g_ascii_strncasecmp (digits, "0x", 2) == 0)
    digits += 2;
  if (!g_ascii_string_to_unsigned (digits, 16, 0, G_MAXUINT64, address, NULL) ||
      (relative && !g_uint64_checked_add (address, *address, k->code_address)))
    return ls_cli_refuse (error, "'%s' is not an address; give it in hexadecimal, as in the disassembly, or as +OFFSET from the first "
                                 "byte", text);
  return TRUE;
}

/* Blames an instruction; *at is its place in the disassembly, which the caller frees. */
static LsBlame *
blame_address (LsTrace *t, const LsKernel *k, const char *text, GArray **code, const LsInstruction **at, GError **error)
{
  guint64 address;
  LsBlame *b = parse_address (text, k, &address, error) ? ls_blame_instruction (t, k->number, address, error) : NULL;
  *code = b ? ls_disassemble (k->code, k->n_code, k->code_address, k->code_lines) : NULL;
  for (guint i = 0; *code && i < (*code)->len; i++) {
    const LsInstruction *ins = &g_array_index (*code, LsInstruction, i);
    if (address - ins->address < ins->size)
      *at = ins;
  }
  return b;
}

/* The line, row, instruction or node of the code that the options name; NULL with an error. */
static LsBlame *
blame_code (const LsCliOptions *o, LsTrace *t, GArray **code, const LsInstruction **instruction, GError **error)
{
  guint kernel = o->kernel < 0 ? 1 : (guint) o->kernel;
  guint32 node = LS_NO_NODE;
  LsKernel *k = ls_trace_kernel (t, kernel);
  if (o->uop >= 0 && k)
    return node_of_row (o, t, k, o->uop, &node, error) ? ls_blame_node (t, kernel, node, error) : NULL;
  if (o->node >= 0)
    return ls_blame_node (t, kernel, (guint32) o->node, error);
  if (o->instruction && k)
    return blame_address (t, k, o->instruction, code, instruction, error);
  return ls_blame_line (t, kernel, (guint) MAX (o->line, 0), error);
}

static int
run (LsCliOptions *o, char **files, GError **error)
{
  const LsInstruction *instruction = NULL;
  const LsPass *pass;
  g_autoptr (GArray) code = NULL;
  g_autoptr (LsTrace) t = NULL;
  g_autoptr (LsBlame) b = NULL;
  if ((o->line >= 0) + (o->uop >= 0) + (o->from >= 0) + (o->instruction != NULL) + (o->node >= 0) != 1)
    return ls_cli_refuse (error, "blame: one of --line N, --uop ROW, --instruction ADDR, --node N and --from LINE is needed");
  if (o->from >= 0 && o->kernel >= 0)
    return ls_cli_refuse (error, "blame: --from follows its line into all kernels; omit the kernel");
  if (o->node < 0 && o->pass)
    return ls_cli_refuse (error, "blame: --pass needs --node N, a node of its graph");
  if (o->recorded && o->sets && o->from >= 0)
    return ls_cli_refuse (error, "blame: for a recording, --set sets the numbering of rows; --from has no rows");
  if (!(t = ls_cli_open (o, *files, error)))
    return LS_EXIT_WRONG;
  if (o->from >= 0)
    return forward (o, t, error) ? LS_EXIT_DONE : LS_EXIT_WRONG;
  if (o->node < 0 || !ls_cli_is_placed (o))
    b = blame_code (o, t, &code, &instruction, error);
  else if ((pass = ls_cli_pass (o, t, error)))
    b = ls_blame_in_pass (t, pass, o->step < 0 ? ls_pass_n_rewrites (pass) : (guint) o->step, (guint32) o->node, error);
  if (b)
    answer (o, t, b, instruction);
  return b ? LS_EXIT_DONE : LS_EXIT_WRONG;
}

const LsCliCommand ls_cli_blame = {
  run, N_("Shows where a line of generated source comes from (--kernel K --line N) or a node of any step (FILE#KERNEL/PASS/STEP?node=N). "
       "Forward: --from LINE."),
};
