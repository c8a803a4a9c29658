/* The tables of a recording file. data/trace-schema.md documents them for other programs; a test holds the two together.
 *
 * Names of ops, dtypes, modes and kinds are text in the file, never a number of this program's, so that a file outlives the order of its
 * enums. Numbers of rows are consecutive, so that a reader sees at once when one is missing or comes twice.
 */
#include "store-private.h"

static const char *const pass_kinds[] = { [LS_PASS_REWRITE] = "rewrite", [LS_PASS_MAP] = "map", NULL };
static const char *const modes[] = { [LS_REWRITE_BOTTOM_UP] = "bottom-up", [LS_REWRITE_TOP_DOWN] = "top-down", [LS_REWRITE_WALK] = "walk", NULL };

static const char *const equalities[] = {
#define X(id, name, sentence) name,
  LS_EQUAL_TABLE (X)
#undef X
  NULL
};

#define NULLABLE LS_COLUMN_NULLABLE
#define TIME     LS_COLUMN_TIME
#define SINCE    LS_COLUMN_SINCE
#define AT(type, member) (guint) G_STRUCT_OFFSET (type, member)
/* column name, kind, struct, member, what it refers to, flags */
#define C(name, kind, type, member, reference, flags) { #name, LS_COLUMN_##kind, AT (type, member), 0, LS_REF_##reference, flags, NULL }
#define SIZED(name, kind, type, member, size, flags)  { #name, LS_COLUMN_##kind, AT (type, member), AT (type, size), LS_REF_NONE, flags, NULL }
#define CHOICE(name, type, member, choices, flags)    { #name, LS_COLUMN_CHOICE, AT (type, member), 0, LS_REF_NONE, flags, choices }
/* rows that are a bare number */
#define BARE(name, kind, reference, flags)            { #name, LS_COLUMN_##kind, 0, 0, LS_REF_##reference, flags, NULL }

static const LsColumn rules[] = {
  C (name, TEXT, LsTraceRule, name, NONE, 0),
  C (file, TEXT, LsTraceRule, file, NONE, 0),
  C (line, U32, LsTraceRule, line, NONE, 0),
  C (sentence, TEXT, LsTraceRule, sentence, NONE, 0),
  C (text, TEXT, LsTraceRule, text, NONE, 0),
  C (class, TEXT, LsTraceRule, rule_class, NONE, 0),
  C (rule_set, TEXT, LsTraceRule, set, NONE, 0),
};
static const LsColumn files[] = {
  C (name, TEXT, LsProgramFile, name, NONE, 0),
  C (text, TEXT, LsProgramFile, text, NONE, 0),
  C (library, BOOL, LsProgramFile, library, NONE, 0),
};
static const LsColumn statements[] = {
  C (line, U32, LsStatement, line, NONE, 0),
  C (end_line, U32, LsStatement, end_line, NONE, 0),
  C (text, TEXT, LsStatement, text, NONE, 0),
  C (ns, U64, LsStatement, ns, NONE, TIME),
  C (file, U32, LsStatement, file, FILE, SINCE (3)),
  C (turn, U64, LsStatement, turn, NONE, SINCE (3)),
  C (times, U64, LsStatement, times, NONE, SINCE (3)),
};
static const LsColumn bindings[] = {
  C (statement, U32, LsNameBinding, statement, STATEMENT, 0),
  C (name, TEXT, LsNameBinding, name, NONE, 0),
  C (node, NODE, LsNameBinding, node, NONE, 0),
  C (base, NODE, LsNameBinding, base, NONE, NULLABLE | SINCE (4)),
  C (buffer, U32, LsNameBinding, buffer, BUFFER, NULLABLE | SINCE (4)),
};
static const LsColumn calls[] = {
  C (parent, I32, LsCall, parent, EARLIER, 0),
  C (statement, U32, LsCall, statement, STATEMENT, 0),
  C (line, U32, LsCall, line, NONE, 0),
  C (col, U32, LsCall, column, NONE, 0),
  C (name, TEXT, LsCall, name, NONE, 0),
  C (args, TEXT, LsCall, args, NONE, 0),
  C (node, NODE, LsCall, node, NONE, NULLABLE),
  C (file, I32, LsCall, file, FILE, SINCE (3)),
  C (file_line, U32, LsCall, file_line, NONE, SINCE (3)),
  C (file_col, U32, LsCall, file_column, NONE, SINCE (3)),
  C (def_file, I32, LsCall, def_file, FILE, SINCE (3)),
  C (def_line, U32, LsCall, def_line, NONE, SINCE (3)),
};
static const LsColumn node_calls[] = {
  C (node, NODE, LsNodeCall, node, NONE, 0),
  C (call, U32, LsNodeCall, call, CALL, 0),
};
static const LsColumn buffers[] = {
  C (dtype, DTYPE, LsTraceBuffer, dtype, NONE, 0),
  C (n_elements, U64, LsTraceBuffer, n_elements, NONE, 0),
  C (role, TEXT, LsTraceBuffer, role, NONE, 0),
  C (plan_offset, I64, LsTraceBuffer, offset, NONE, 0),
  C (first_use, U32, LsTraceBuffer, first_use, NONE, 0),      /* kernels that may still be to come */
  C (last_use, U32, LsTraceBuffer, last_use, NONE, 0),
  SIZED (data, BLOB, LsTraceBuffer, data, n_data, NULLABLE),
  C (digest, OWNED, LsTraceBuffer, digest, NONE, NULLABLE),
  C (min, F64, LsTraceBuffer, min, NONE, NULLABLE),
  C (max, F64, LsTraceBuffer, max, NONE, NULLABLE),
  C (mean, F64, LsTraceBuffer, mean, NONE, NULLABLE),
  C (n_nan, U64, LsTraceBuffer, n_nan, NONE, 0),
  C (n_inf, U64, LsTraceBuffer, n_inf, NONE, 0),
};
static const LsColumn kernels[] = {
  C (name, TEXT, LsKernel, name, NONE, 0),
  C (target, TEXT, LsKernel, target, NONE, 0),
  C (compiler, TEXT, LsKernel, compiler, NONE, 0),
  C (same_as, I32, LsKernel, same_as, EARLIER, 0),
  C (ast, NODE, LsKernel, ast, NONE, NULLABLE),
  C (final_root, NODE, LsKernel, final_root, NONE, NULLABLE),
  C (options, TEXT, LsKernel, options, NONE, 0),
  C (source, OWNED, LsKernel, source, NONE, NULLABLE | LS_COLUMN_TEXT_OF_CODE),
  C (compile_message, OWNED, LsKernel, compile_message, NONE, NULLABLE),
  SIZED (code, BLOB, LsKernel, code, n_code, NULLABLE),
  C (code_address, U64, LsKernel, code_address, NONE, 0),
  C (run_error, OWNED, LsKernel, run_error, NONE, NULLABLE),
  C (compile_ms, F64, LsKernel, compile_ms, NONE, NULLABLE | TIME),
  C (flops, F64, LsKernel, flops, NONE, NULLABLE),
  C (bytes, F64, LsKernel, bytes, NONE, NULLABLE),
  C (compiler_version, TEXT, LsKernel, compiler_version, NONE, SINCE (5)),
  C (flags, TEXT, LsKernel, flags, NONE, SINCE (5)),
  C (values_compiler, TEXT, LsKernel, values_compiler, NONE, SINCE (5)),
  C (asked, TEXT, LsKernel, asked, NONE, NULLABLE | SINCE (7)),
  C (settings, TEXT, LsKernel, settings, NONE, NULLABLE | SINCE (8)),
};
static const LsColumn passes[] = {
  C (kernel, U32, LsPass, kernel, KERNEL, 0),
  CHOICE (kind, LsPass, kind, pass_kinds, 0),
  C (name, TEXT, LsPass, name, NONE, 0),
  C (stage, TEXT, LsPass, stage, NONE, 0),
  C (rule_set, TEXT, LsPass, set, NONE, 0),
  CHOICE (mode, LsPass, mode, modes, 0),
  C (input, NODE, LsPass, input, NONE, NULLABLE),
  C (output, NODE, LsPass, output, NONE, NULLABLE),
  C (ns, U64, LsPass, ns, NONE, TIME),
  C (parent, I32, LsPass, parent, EARLIER, 0),
  C (step, U32, LsPass, step, NONE, SINCE (8)),
};
static const LsColumn decisions[] = {
  C (node, NODE, LsDecision, node, NONE, 0),
  C (realized, BOOL, LsDecision, realized, NONE, 0),
  C (kernel, U32, LsDecision, kernel, NONE, 0),      /* may still be to come */
  C (reason, TEXT, LsDecision, reason, NONE, 0),
};
static const LsColumn outputs[] = {
  C (line, U32, LsOutput, line, NONE, 0),
  C (node, NODE, LsOutput, node, NONE, NULLABLE),
  C (buffer, U32, LsOutput, buffer, BUFFER, NULLABLE),
  SIZED (shape, DIMS, LsOutput, dims, n_dims, 0),
  C (dtype, DTYPE, LsOutput, dtype, NONE, 0),
  C (printed, BOOL, LsOutput, printed, NONE, 0),
};
static const LsColumn stage_times[] = {
  C (stage, TEXT, LsStageTime, stage, NONE, 0),
  C (kernel, U32, LsStageTime, kernel, KERNEL, 0),
  C (ns, U64, LsStageTime, ns, NONE, TIME),
};
static const LsColumn kernel_stages[] = {
  C (stage, TEXT, LsStageTime, stage, NONE, 0),
  C (of_kernel, U32, LsStageTime, kernel, KERNEL, 0),
  C (ns, U64, LsStageTime, ns, NONE, TIME),
};
static const LsColumn kernel_options[] = {
  C (text, TEXT, LsKernelOption, text, NONE, 0),
  C (chosen_by, TEXT, LsKernelOption, chosen_by, NONE, 0),
  C (why, TEXT, LsKernelOption, why, NONE, 0),
  C (refusal, TEXT, LsKernelOption, refusal, NONE, NULLABLE),
};
static const LsColumn searches[] = {
  C (kernel, U32, LsTraceSearch, kernel, KERNEL, 0),
  C (width, U32, LsTraceSearch, width, NONE, 0),
  C (heuristic, I32, LsTraceSearch, heuristic, NONE, 0),
  C (compiler, TEXT, LsTraceSearch, compiler, NONE, 0),
  C (compiler_version, TEXT, LsTraceSearch, compiler_version, NONE, 0),
  C (flags, TEXT, LsTraceSearch, flags, NONE, 0),
  C (machine, TEXT, LsTraceSearch, machine, NONE, 0),
  C (ended, TEXT, LsTraceSearch, ended, NONE, TIME),
  C (compiled, U32, LsTraceSearch, n_compiled, NONE, TIME),
  C (rounds, U32, LsTraceSearch, n_rounds, NONE, TIME),
  C (seconds, F64, LsTraceSearch, seconds, NONE, TIME),
  C (noise, F64, LsTraceSearch, noise, NONE, NULLABLE | TIME),
  C (cached, BOOL, LsTraceSearch, cached, NONE, TIME),
};
static const LsColumn candidates[] = {
  C (parent, I32, LsTraceCandidate, parent, EARLIER, 0),
  C (layer, U32, LsTraceCandidate, layer, NONE, 0),
  C (options, TEXT, LsTraceCandidate, options, NONE, 0),
  C (score, F64, LsTraceCandidate, score, NONE, NULLABLE),
  C (compile_ms, F64, LsTraceCandidate, compile_ms, NONE, NULLABLE | TIME),
  C (ns, F64, LsTraceCandidate, ns, NONE, NULLABLE | TIME),
  CHOICE (equal, LsTraceCandidate, equality, equalities, 0),
  C (dropped, TEXT, LsTraceCandidate, dropped, NONE, NULLABLE | TIME),
  C (verdict, TEXT, LsTraceCandidate, verdict, NONE, NULLABLE | TIME),
  C (ratio, F64, LsTraceCandidate, ratio, NONE, NULLABLE | TIME),
  C (ratio_low, F64, LsTraceCandidate, ratio_low, NONE, NULLABLE | TIME),
  C (ratio_high, F64, LsTraceCandidate, ratio_high, NONE, NULLABLE | TIME),
  C (heuristic, BOOL, LsTraceCandidate, by_heuristic, NONE, 0),
  C (chosen, BOOL, LsTraceCandidate, chosen, NONE, TIME),
};
static const LsColumn listings[] = { BARE (node, NODE, NONE, 0) };
static const LsColumn procedures[] = {
  C (depth, U32, LsProcRow, depth, NONE, 0),
  C (node, NODE, LsProcRow, node, NONE, NULLABLE),
  CHOICE (kind, LsProcRow, kind, ls_proc_kind_names, SINCE (2)),
  C (op, OP, LsProcRow, op, NONE, NULLABLE | SINCE (2)),
  C (dest, U32, LsProcRow, dest, NONE, NULLABLE | SINCE (2)),
  C (dtype, DTYPE, LsProcRow, dtype, NONE, SINCE (2)),
  C (value, ARG, LsProcRow, value, NONE, NULLABLE | SINCE (2)),
  C (sources, REGISTERS, LsProcRow, sources, NONE, NULLABLE | SINCE (2)),
  C (buffer, TEXT, LsProcRow, buffer, NONE, NULLABLE | SINCE (2)),
  C (bound, I64, LsProcRow, bound, NONE, SINCE (2)),
  C (text, TEXT, LsProcRow, text, NONE, NULLABLE),
};
static const LsColumn source_links[] = {
  C (line, U32, LsSourceLink, line, NONE, 0),
  C (node, NODE, LsSourceLink, node, NONE, 0),
};
static const LsColumn expressions[] = {
  C (node, NODE, LsExpr, node, NONE, 0),
  C (listing_row, U32, LsExpr, row, NONE, 0),
  C (line, U32, LsExpr, line, NONE, 0),
  C (assigned, BOOL, LsExpr, assigned, NONE, 0),
  C (expr, TEXT, LsExpr, expr, NONE, 0),
  C (why, TEXT, LsExpr, why, NONE, 0),
  C (name, TEXT, LsExpr, name, NONE, NULLABLE | SINCE (7)),
  C (inputs, TEXT, LsExpr, inputs, NONE, NULLABLE | SINCE (7)),
  C (asked, TEXT, LsExpr, asked, NONE, NULLABLE | SINCE (7)),
};
static const LsColumn code_lines[] = {
  C (code_offset, U32, LsCodeLine, offset, NONE, 0),
  C (line, U32, LsCodeLine, line, NONE, 0),
};
static const LsColumn timings[] = { BARE (ns, U64, NONE, TIME) };
static const LsColumn arguments[] = { BARE (buffer, U32, BUFFER, 0) };
static const LsColumn kernel_passes[] = { BARE (of_pass, U32, PASS, 0) };
static const LsColumn rule_stats[] = {
  C (rule, U32, LsRuleStat, rule, RULE, 0),
  C (tries, U32, LsRuleStat, tries, NONE, 0),
  C (hits, U32, LsRuleStat, hits, NONE, 0),
  C (ns, U64, LsRuleStat, ns, NONE, TIME),
};
static const LsColumn maps[] = {
  C (new_node, NODE, LsMapEntry, new_node, NONE, 0),
  C (old_node, NODE, LsMapEntry, old_node, NONE, 0),
  C (reason, TEXT, LsMapEntry, reason, NONE, 0),
};
static const LsColumn pass_rows[] = { BARE (node, NODE, NONE, 0) };
static const LsColumn nodes[] = {
  C (op, OP16, LsUOp, op, NONE, 0),
  C (dtype, DTYPE, LsUOp, dtype, NONE, 0),
  C (arg, ARG, LsUOp, arg, NONE, 0),
  C (tag, U16, LsUOp, tag, NONE, 0),
  C (src, SOURCES, LsUOp, src, NONE, NULLABLE),
};
static const LsColumn steps[] = {
  C (rule, I32, LsLink, rule, RULE, 0),
  C (before, U32, LsLink, before, NONE, 0),
  C (after, U32, LsLink, after, NONE, 0),
  C (ns, U32, LsLink, ns, NONE, TIME),
};

#define COLUMNS(array) array, G_N_ELEMENTS (array)
#define OF_TRACE(name, member, row, key, base, key_offset) \
  { #name, LS_OWNER_TRACE, FALSE, AT (LsTrace, member), sizeof (row), key, base, key_offset, COLUMNS (name) }
#define OF_TRACE_OPTIONAL(name, member, row, key, base, key_offset) \
  { #name, LS_OWNER_TRACE, FALSE, AT (LsTrace, member), sizeof (row), key, base, key_offset, COLUMNS (name), TRUE }
#define OF_TRACE_BY_POINTER(name, member, row, key, base, key_offset) \
  { #name, LS_OWNER_TRACE, TRUE, AT (LsTrace, member), sizeof (row), key, base, key_offset, COLUMNS (name) }
#define OF_KERNEL(name, member, row, columns) { #name, LS_OWNER_KERNEL, FALSE, AT (LsKernel, member), sizeof (row), "position", 0, LS_NO_KEY, COLUMNS (columns) }
#define OF_KERNEL_OPTIONAL(name, member, row, columns) { #name, LS_OWNER_KERNEL, FALSE, AT (LsKernel, member), sizeof (row), "position", 0, LS_NO_KEY, COLUMNS (columns), TRUE }
#define OF_CODE(name, member, row) { #name, LS_OWNER_KERNEL, FALSE, AT (LsKernel, member), sizeof (row), "position", 0, LS_NO_KEY, COLUMNS (name), FALSE, TRUE }
#define OF_PASS(name, member, row)            { #name, LS_OWNER_PASS, FALSE, AT (LsPass, member), sizeof (row), "position", 0, LS_NO_KEY, COLUMNS (name) }
#define OF_PASS_OPTIONAL(name, member, row)   { #name, LS_OWNER_PASS, FALSE, AT (LsPass, member), sizeof (row), "position", 0, LS_NO_KEY, COLUMNS (name), TRUE }

/* What others refer to stands before them, so that a reader can check references while it reads. */
const LsTable ls_store_tables[LS_N_TABLES] = {
  [LS_TABLE_RULES]         = OF_TRACE_BY_POINTER (rules, rules, LsTraceRule, "id", 0, AT (LsTraceRule, index)),
  [LS_TABLE_FILES]         = OF_TRACE_OPTIONAL (files, files, LsProgramFile, "id", 0, LS_NO_KEY),
  [LS_TABLE_STATEMENTS]    = OF_TRACE (statements, statements, LsStatement, "id", 0, LS_NO_KEY),
  [LS_TABLE_CALLS]         = OF_TRACE (calls, calls, LsCall, "id", 0, LS_NO_KEY),
  [LS_TABLE_NODE_CALLS]    = OF_TRACE (node_calls, node_calls, LsNodeCall, "id", 0, LS_NO_KEY),
  [LS_TABLE_KERNELS]       = OF_TRACE_BY_POINTER (kernels, kernels, LsKernel, "number", 1, AT (LsKernel, number)),
  [LS_TABLE_BUFFERS]       = OF_TRACE_BY_POINTER (buffers, buffers, LsTraceBuffer, "id", 0, AT (LsTraceBuffer, id)),
  [LS_TABLE_BINDINGS]      = OF_TRACE_OPTIONAL (bindings, bindings, LsNameBinding, "id", 0, LS_NO_KEY),
  [LS_TABLE_PASSES]        = OF_TRACE_BY_POINTER (passes, passes, LsPass, "id", 0, AT (LsPass, index)),
  [LS_TABLE_DECISIONS]     = OF_TRACE (decisions, decisions, LsDecision, "id", 0, LS_NO_KEY),
  [LS_TABLE_OUTPUTS]       = OF_TRACE (outputs, outputs, LsOutput, "id", 0, LS_NO_KEY),
  [LS_TABLE_STAGE_TIMES]   = OF_TRACE (stage_times, stage_times, LsStageTime, "id", 0, LS_NO_KEY),
  [LS_TABLE_LISTINGS]      = OF_CODE (listings, listing, guint32),
  [LS_TABLE_PROCEDURES]    = OF_CODE (procedures, procedure, LsProcRow),
  [LS_TABLE_SOURCE_LINKS]  = OF_CODE (source_links, source_links, LsSourceLink),
  [LS_TABLE_EXPRESSIONS]   = OF_CODE (expressions, exprs, LsExpr),
  [LS_TABLE_CODE_LINES]    = OF_KERNEL_OPTIONAL (code_lines, code_lines, LsCodeLine, code_lines),
  [LS_TABLE_TIMINGS]       = OF_KERNEL (timings, run_ns, guint64, timings),
  [LS_TABLE_ARGUMENTS]     = OF_KERNEL (arguments, buffers, guint, arguments),
  [LS_TABLE_KERNEL_PASSES] = OF_KERNEL (kernel_passes, passes, guint, kernel_passes),
  [LS_TABLE_KERNEL_STAGES] = OF_KERNEL (kernel_stages, stage_ns, LsStageTime, kernel_stages),
  [LS_TABLE_KERNEL_OPTIONS] = OF_KERNEL_OPTIONAL (kernel_options, choices, LsKernelOption, kernel_options),
  [LS_TABLE_SEARCHES]      = OF_TRACE_OPTIONAL (searches, searches, LsTraceSearch, "id", 0, LS_NO_KEY),
  [LS_TABLE_CANDIDATES]    = OF_KERNEL_OPTIONAL (candidates, candidates, LsTraceCandidate, candidates),
  [LS_TABLE_RULE_STATS]    = OF_PASS (rule_stats, stats, LsRuleStat),
  [LS_TABLE_MAPS]          = OF_PASS (maps, map, LsMapEntry),
  [LS_TABLE_PASS_ROWS]     = OF_PASS_OPTIONAL (pass_rows, rows, guint32),
};

const LsTable ls_store_nodes = { "nodes", LS_OWNER_TRACE, TRUE, 0, sizeof (LsUOp), "id", 0, AT (LsUOp, id), COLUMNS (nodes) };
const LsTable ls_store_steps = { "steps", LS_OWNER_PASS, FALSE, 0, sizeof (LsLink), "step", 1, LS_NO_KEY, COLUMNS (steps) };

const char ls_store_special_sql[] =
  "CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;"
  "CREATE TABLE settings (id INTEGER PRIMARY KEY, text TEXT NOT NULL);"
  "CREATE TABLE nodes (id INTEGER PRIMARY KEY, op TEXT NOT NULL, dtype TEXT NOT NULL, arg TEXT NOT NULL, tag INTEGER NOT NULL, src BLOB);"
  "CREATE TABLE links (pass INTEGER, chunk INTEGER, data BLOB NOT NULL, PRIMARY KEY (pass, chunk)) WITHOUT ROWID;"
  "CREATE TABLE steps (pass INTEGER, step INTEGER, rule INTEGER NOT NULL, before INTEGER NOT NULL, after INTEGER NOT NULL, ns INTEGER NOT NULL,"
  " PRIMARY KEY (pass, step)) WITHOUT ROWID;"
  "CREATE VIEW named_steps AS SELECT p.kernel, p.name AS pass, s.step, r.name AS rule, r.file, r.line, s.before, s.after, s.ns"
  " FROM steps s JOIN passes p ON p.id = s.pass JOIN rules r ON r.id = s.rule;"
  "CREATE VIEW steps_by_rule AS SELECT r.name AS rule, r.rule_set, r.file, r.line, count(*) AS steps, count(DISTINCT s.pass) AS passes, sum(s.ns) AS ns"
  " FROM steps s JOIN rules r ON r.id = s.rule GROUP BY r.id ORDER BY steps DESC, rule;"
  "CREATE VIEW slowest_rules AS SELECT r.name AS rule, r.rule_set, sum(t.tries) AS tries, sum(t.hits) AS hits, sum(t.ns) AS ns,"
  " CASE WHEN sum(t.hits) > 0 THEN sum(t.ns) / sum(t.hits) END AS ns_per_hit FROM rule_stats t JOIN rules r ON r.id = t.rule GROUP BY r.id ORDER BY ns DESC, rule;"
  "CREATE VIEW idle_rules AS SELECT r.name AS rule, r.rule_set, sum(t.tries) AS tries FROM rule_stats t JOIN rules r ON r.id = t.rule GROUP BY r.id"
  " HAVING sum(t.hits) = 0 ORDER BY tries DESC, rule;"
  "CREATE VIEW pass_summary AS SELECT p.kernel, p.id AS pass, p.name, p.stage, p.kind, p.ns, (SELECT count(*) FROM steps s WHERE s.pass = p.id) AS steps,"
  " (SELECT sum(tries) FROM rule_stats t WHERE t.pass = p.id) AS tries FROM passes p ORDER BY p.id;"
  "CREATE VIEW kernel_summary AS SELECT k.number, k.name, k.target, k.compiler, k.same_as, k.options,"
  " (SELECT count(*) FROM listings l WHERE l.kernel = iif(k.same_as > 0, k.same_as, k.number)) AS uops,"
  " (SELECT count(*) FROM steps s JOIN passes p ON p.id = s.pass WHERE p.kernel = k.number) AS steps,"
  " (SELECT sum(ns) FROM passes p WHERE p.kernel = k.number) AS pass_ns, k.compile_ms, (SELECT min(ns) FROM timings t WHERE t.kernel = k.number) AS best_ns,"
  " (SELECT max(ns) FROM timings t WHERE t.kernel = k.number) AS worst_ns, k.flops, k.bytes, k.run_error FROM kernels k ORDER BY k.number;"
  "CREATE VIEW source_lines AS SELECT s.kernel, s.line, s.node, n.op, n.dtype FROM source_links s JOIN nodes n ON n.id = s.node ORDER BY s.kernel, s.line, s.position;"
  "CREATE VIEW why_kernels AS SELECT d.kernel, k.name, d.node, n.op, n.dtype, d.reason FROM decisions d JOIN nodes n ON n.id = d.node"
  " LEFT JOIN kernels k ON k.number = d.kernel WHERE d.realized = 1 ORDER BY d.kernel;"
  "CREATE VIEW call_tree AS WITH RECURSIVE tree(id, depth, path) AS (SELECT id, 0, name FROM calls WHERE parent < 0"
  " UNION ALL SELECT c.id, t.depth + 1, t.path || ' > ' || c.name FROM calls c JOIN tree t ON c.parent = t.id)"
  " SELECT c.id, c.line, t.depth, t.path, c.args, c.node FROM tree t JOIN calls c ON c.id = t.id ORDER BY c.id;"
  "CREATE VIEW suspicious_buffers AS SELECT id, role, dtype, n_elements, n_nan, n_inf, min, max FROM buffers WHERE n_nan > 0 OR n_inf > 0;";

char *
ls_store_column_list (const LsTable *table, gint64 version)
{
  GString *list = g_string_new (NULL);
  if (ls_table_owner_key (table))
    g_string_append_printf (list, "%s, ", ls_table_owner_key (table));
  g_string_append (list, table->key);
  for (guint k = 0; k < table->n_columns; k++)
    if (ls_column_is_in (&table->columns[k], version))
      g_string_append_printf (list, ", %s", table->columns[k].name);
  return g_string_free (list, FALSE);
}
