/* The tables of a recording file. data/trace-schema.md documents them for other programs; a test holds the two together.
 *
 * Names of ops, dtypes, modes and kinds are text in the file, never a number of this program's, so that a file outlives the order of its
 * enums. Numbers of rows are consecutive, so that a reader sees at once when one is missing or comes twice.
 */
#include "store-private.h"

static const char *const pass_kinds[] = { [LS_PASS_REWRITE] = "rewrite", [LS_PASS_MAP] = "map", NULL };
static const char *const modes[] = { [LS_REWRITE_BOTTOM_UP] = "bottom-up", [LS_REWRITE_TOP_DOWN] = "top-down", [LS_REWRITE_WALK] = "walk",
                                     [LS_REWRITE_ONE] = "one", NULL };

#define NULLABLE LS_COLUMN_NULLABLE
#define TIME     LS_COLUMN_TIME
#define SINCE    LS_COLUMN_SINCE
#define AT(type, member) (guint) G_STRUCT_OFFSET (type, member)
#define OF(type, member) AT (type, member), sizeof (((type *) NULL)->member), LS_CELL_IS_SIGNED (((type *) NULL)->member)
/* Column name, class (LsColumnClass: a column without one does not compile), kind, struct, member, target of a reference, flags. */
#define C(name, class, kind, type, member, reference, flags) { #name, LS_CELL_##kind, LS_CLASS_##class, OF (type, member), 0, \
                                                               LS_REF_##reference, flags, NULL }
#define SIZED(name, class, kind, type, member, count, flags) { #name, LS_CELL_##kind, LS_CLASS_##class, OF (type, member), \
                                                               AT (type, count), LS_REF_NONE, flags, NULL }
#define NAMED(name, class, type, member, choices, flags)     { #name, LS_CELL_NAME, LS_CLASS_##class, OF (type, member), 0, \
                                                               LS_REF_NONE, flags, choices }
/* Rows that are one value of that type. */
#define BARE(name, class, kind, type, reference, flags)      { #name, LS_CELL_##kind, LS_CLASS_##class, 0, sizeof (type), FALSE, 0, \
                                                               LS_REF_##reference, flags, NULL }

static const LsColumn rules[] = {
  C (name, DERIVED, TEXT, LsTraceRule, name, NONE, 0),
  C (file, DERIVED, TEXT, LsTraceRule, file, NONE, 0),
  C (line, DERIVED, INT, LsTraceRule, line, NONE, 0),
  C (sentence, DERIVED, TEXT, LsTraceRule, sentence, NONE, 0),
  C (text, DERIVED, TEXT, LsTraceRule, text, NONE, 0),
  C (class, DERIVED, TEXT, LsTraceRule, rule_class, NONE, 0),
  C (rule_set, DERIVED, TEXT, LsTraceRule, set, NONE, 0),
};
static const LsColumn files[] = {
  C (name, DOUBLED, TEXT, LsProgramFile, name, NONE, 0),
  C (text, DOUBLED, TEXT, LsProgramFile, text, NONE, 0),
  C (library, DOUBLED, BOOL, LsProgramFile, library, NONE, 0),
  C (digest, DOUBLED, TEXT, LsProgramFile, digest, NONE, NULLABLE | SINCE (8)),
};
static const LsColumn statements[] = {
  C (line, DOUBLED, INT, LsStatement, line, NONE, 0),
  C (end_line, DOUBLED, INT, LsStatement, end_line, NONE, 0),
  C (text, DOUBLED, TEXT, LsStatement, text, NONE, 0),
  C (ns, WITNESS, INT, LsStatement, ns, NONE, TIME),
  C (file, DOUBLED, INT, LsStatement, file, FILE, SINCE (3)),
  C (turn, DOUBLED, INT, LsStatement, turn, NONE, SINCE (3)),
  C (times, WITNESS, INT, LsStatement, times, NONE, SINCE (3)),
  C (bound, DOUBLED, INT, LsStatement, bound, NONE, SINCE (8)),
};
static const LsColumn bindings[] = {
  C (statement, DOUBLED, INT, LsNameBinding, statement, STATEMENT, 0),
  C (name, DOUBLED, TEXT, LsNameBinding, name, NONE, 0),
  C (node, WITNESS, NODE, LsNameBinding, node, NONE, 0),
  C (base, DOUBLED, NODE, LsNameBinding, base, NONE, NULLABLE | SINCE (4)),
  C (buffer, WITNESS, INT, LsNameBinding, buffer, BUFFER, NULLABLE | SINCE (4)),
};
static const LsColumn calls[] = {
  C (parent, DOUBLED, INT, LsCall, parent, EARLIER, 0),
  C (statement, DOUBLED, INT, LsCall, statement, STATEMENT, 0),
  C (line, DOUBLED, INT, LsCall, line, NONE, 0),
  C (col, DOUBLED, INT, LsCall, column, NONE, 0),
  C (name, DOUBLED, TEXT, LsCall, name, NONE, 0),
  C (args, WITNESS, TEXT, LsCall, args, NONE, 0),
  C (node, WITNESS, NODE, LsCall, node, NONE, NULLABLE),
  C (file, DOUBLED, INT, LsCall, file, FILE, SINCE (3)),
  C (file_line, DOUBLED, INT, LsCall, file_line, NONE, SINCE (3)),
  C (file_col, WITNESS, INT, LsCall, file_column, NONE, SINCE (3)),
  C (def_file, DOUBLED, INT, LsCall, def_file, FILE, SINCE (3)),
  C (def_line, DOUBLED, INT, LsCall, def_line, NONE, SINCE (3)),
};
static const LsColumn node_calls[] = {
  C (node, WITNESS, NODE, LsNodeCall, node, NONE, 0),
  C (call, WITNESS, INT, LsNodeCall, call, CALL, 0),
  C (more, WITNESS, INT, LsNodeCall, more, NONE, SINCE (9)),
};
static const LsColumn buffers[] = {
  C (dtype, DERIVED, DTYPE, LsTraceBuffer, dtype, NONE, 0),
  C (n_elements, DERIVED, INT, LsTraceBuffer, n_elements, NONE, 0),
  C (role, DERIVED, TEXT, LsTraceBuffer, role, NONE, 0),
  C (plan_offset, DERIVED, INT, LsTraceBuffer, offset, NONE, 0),
  C (first_use, DERIVED, INT, LsTraceBuffer, first_use, NONE, 0),      /* kernels that may still be to come */
  C (last_use, DERIVED, INT, LsTraceBuffer, last_use, NONE, 0),
  SIZED (data, DOUBLED, BLOB, LsTraceBuffer, data, n_data, NULLABLE),
  C (digest, DERIVED, OWNED, LsTraceBuffer, digest, NONE, NULLABLE),
  C (min, DOUBLED, NUMBER, LsTraceBuffer, min, NONE, NULLABLE),
  C (max, DOUBLED, NUMBER, LsTraceBuffer, max, NONE, NULLABLE),
  C (mean, DOUBLED, NUMBER, LsTraceBuffer, mean, NONE, NULLABLE),
  C (n_nan, DOUBLED, INT, LsTraceBuffer, n_nan, NONE, 0),
  C (n_inf, DOUBLED, INT, LsTraceBuffer, n_inf, NONE, 0),
};
static const LsColumn kernels[] = {
  C (name, DERIVED, TEXT, LsKernel, name, NONE, 0),
  C (target, DERIVED, TEXT, LsKernel, target, NONE, 0),
  C (compiler, DOUBLED, TEXT, LsKernel, compiler, NONE, 0),
  C (same_as, DERIVED, INT, LsKernel, same_as, EARLIER, 0),
  C (ast, DERIVED, NODE, LsKernel, ast, NONE, NULLABLE),
  C (final_root, DERIVED, NODE, LsKernel, final_root, NONE, NULLABLE),
  C (options, DERIVED, TEXT, LsKernel, options, NONE, 0),
  C (source, DERIVED, OWNED, LsKernel, source, NONE, NULLABLE | LS_COLUMN_TEXT_OF_CODE),
  C (compile_message, DOUBLED, OWNED, LsKernel, compile_message, NONE, NULLABLE),
  SIZED (code, WITNESS, BLOB, LsKernel, code, n_code, NULLABLE),
  C (code_address, WITNESS, INT, LsKernel, code_address, NONE, 0),
  C (run_error, DOUBLED, OWNED, LsKernel, run_error, NONE, NULLABLE),
  C (compile_ms, WITNESS, NUMBER, LsKernel, compile_ms, NONE, NULLABLE | TIME),
  C (flops, DERIVED, NUMBER, LsKernel, flops, NONE, NULLABLE),
  C (bytes, DERIVED, NUMBER, LsKernel, bytes, NONE, NULLABLE),
  C (compiler_version, DOUBLED, TEXT, LsKernel, compiler_version, NONE, SINCE (5)),
  C (flags, DOUBLED, TEXT, LsKernel, flags, NONE, SINCE (5)),
  C (values_compiler, DOUBLED, TEXT, LsKernel, values_compiler, NONE, SINCE (5)),
  C (asked, DERIVED, TEXT, LsKernel, asked, NONE, NULLABLE | SINCE (7)),
  C (facts, DOUBLED, TEXT, LsKernel, facts, NONE, NULLABLE | SINCE (8)),
  C (departs, DERIVED, TEXT, LsKernel, departs, NONE, NULLABLE | SINCE (8)),
  C (settings, DOUBLED, TEXT, LsKernel, settings, NONE, NULLABLE | SINCE (8)),
  C (n_outputs, DERIVED, INT, LsKernel, n_outputs, NONE, SINCE (13)),
};
static const LsColumn passes[] = {
  C (kernel, DERIVED, INT, LsPass, kernel, KERNEL, 0),
  NAMED (kind, DERIVED, LsPass, kind, pass_kinds, 0),
  C (name, DERIVED, TEXT, LsPass, name, NONE, 0),
  C (stage, DERIVED, TEXT, LsPass, stage, NONE, 0),
  C (rule_set, DERIVED, TEXT, LsPass, set, NONE, 0),
  NAMED (mode, DERIVED, LsPass, mode, modes, NULLABLE)      /* NULL: the first */,
  C (input, DERIVED, NODE, LsPass, input, NONE, NULLABLE),
  C (output, DERIVED, NODE, LsPass, output, NONE, NULLABLE),
  C (ns, WITNESS, INT, LsPass, ns, NONE, TIME),
  C (parent, DERIVED, INT, LsPass, parent, EARLIER, 0),
  C (step, DERIVED, INT, LsPass, step, NONE, SINCE (8)),
  C (statement, WITNESS, INT, LsPass, statement, STATEMENT, NULLABLE | SINCE (11)),
  C (context, WITNESS, TEXT, LsPass, context, NONE, NULLABLE | SINCE (11)),
};
static const LsColumn decisions[] = {
  C (node, DERIVED, NODE, LsDecision, node, NONE, 0),
  C (realized, DERIVED, BOOL, LsDecision, realized, NONE, 0),
  C (kernel, DERIVED, INT, LsDecision, kernel, NONE, 0),      /* may still be to come */
  C (reason, DERIVED, TEXT, LsDecision, reason, NONE, 0),
  C (user, DERIVED, NODE, LsDecision, user, NONE, NULLABLE | SINCE (12)),
  C (user_kernel, DERIVED, INT, LsDecision, user_kernel, NONE, SINCE (12)),
  C (pass, DERIVED, INT, LsDecision, pass, PASS, SINCE (12)),
  NAMED (reason_key, DERIVED, LsDecision, key, ls_reason_keys, SINCE (12)),
};
static const LsColumn outputs[] = {
  C (line, DOUBLED, INT, LsOutput, line, NONE, 0),
  C (node, DERIVED, NODE, LsOutput, node, NONE, NULLABLE),
  C (buffer, DERIVED, INT, LsOutput, buffer, BUFFER, NULLABLE),
  SIZED (shape, DERIVED, DIMS, LsOutput, dims, n_dims, 0),
  C (dtype, DERIVED, DTYPE, LsOutput, dtype, NONE, 0),
  C (printed, WITNESS, BOOL, LsOutput, printed, NONE, 0),
  C (call, DOUBLED, INT, LsOutput, call, CALL, NULLABLE | SINCE (8)),
};
static const LsColumn stage_times[] = {
  C (stage, DERIVED, TEXT, LsStageTime, stage, NONE, 0),
  C (kernel, DERIVED, INT, LsStageTime, kernel, KERNEL, 0),
  C (ns, WITNESS, INT, LsStageTime, ns, NONE, TIME),
};
static const LsColumn kernel_options[] = {
  C (text, DERIVED, TEXT, LsKernelOption, text, NONE, 0),
  C (chosen_by, DERIVED, TEXT, LsKernelOption, chosen_by, NONE, 0),
  C (why, DERIVED, TEXT, LsKernelOption, why, NONE, 0),
  C (refusal, DERIVED, TEXT, LsKernelOption, refusal, NONE, NULLABLE),
  C (sentence, DERIVED, TEXT, LsKernelOption, sentence, NONE, NULLABLE | SINCE (10)),
};
static const LsColumn searches[] = {
  C (kernel, DOUBLED, INT, LsTraceSearch, kernel, KERNEL, 0),
  C (width, WITNESS, INT, LsTraceSearch, width, NONE, 0),
  C (heuristic, DOUBLED, INT, LsTraceSearch, heuristic, NONE, 0),
  C (compiler, WITNESS, TEXT, LsTraceSearch, compiler, NONE, 0),
  C (compiler_version, WITNESS, TEXT, LsTraceSearch, compiler_version, NONE, 0),
  C (flags, WITNESS, TEXT, LsTraceSearch, flags, NONE, 0),
  C (machine, WITNESS, TEXT, LsTraceSearch, machine, NONE, 0),
  C (ended, WITNESS, TEXT, LsTraceSearch, ended, NONE, TIME),
  C (compiled, WITNESS, INT, LsTraceSearch, n_compiled, NONE, TIME),
  C (rounds, WITNESS, INT, LsTraceSearch, n_rounds, NONE, TIME),
  C (seconds, WITNESS, NUMBER, LsTraceSearch, seconds, NONE, TIME),
  C (noise, WITNESS, NUMBER, LsTraceSearch, noise, NONE, NULLABLE | TIME),
  C (cached, WITNESS, BOOL, LsTraceSearch, cached, NONE, TIME),
};
static const LsColumn candidates[] = {
#define F(name, type, class, reference, flags, kind, ...) \
  { #name, LS_CELL_##kind, LS_CLASS_##class, OF (LsCandidate, name), 0, LS_REF_##reference, flags, \
    LS_CELL_##kind == LS_CELL_NAME ? ls_equality_names : NULL },
#include "candidate.def"
};
static const LsColumn listings[] = { BARE (node, DERIVED, NODE, guint32, NONE, 0) };
static const LsColumn procedures[] = {
  C (depth, DERIVED, INT, LsProcRow, depth, NONE, 0),
  C (node, DERIVED, NODE, LsProcRow, node, NONE, NULLABLE),
  NAMED (kind, DERIVED, LsProcRow, kind, ls_proc_kind_names, SINCE (2)),
  C (op, DERIVED, OP, LsProcRow, op, NONE, NULLABLE | SINCE (2)),
  C (dest, DERIVED, INT, LsProcRow, dest, NONE, NULLABLE | SINCE (2)),
  C (dtype, DERIVED, DTYPE, LsProcRow, dtype, NONE, SINCE (2)),
  C (value, DERIVED, ARG, LsProcRow, value, NONE, NULLABLE | SINCE (2)),
  C (sources, DERIVED, REGISTERS, LsProcRow, sources, NONE, NULLABLE | SINCE (2)),
  C (buffer, DERIVED, TEXT, LsProcRow, buffer, NONE, NULLABLE | SINCE (2)),
  C (bound, DERIVED, INT, LsProcRow, bound, NONE, SINCE (2)),
  C (text, DERIVED, TEXT, LsProcRow, text, NONE, NULLABLE),
};
static const LsColumn source_links[] = {
  C (line, DERIVED, INT, LsSourceLink, line, NONE, 0),
  C (node, DERIVED, NODE, LsSourceLink, node, NONE, 0),
};
static const LsColumn expressions[] = {
  C (node, DERIVED, NODE, LsExpr, node, NONE, 0),
  C (listing_row, DERIVED, INT, LsExpr, row, NONE, 0),
  C (line, DERIVED, INT, LsExpr, line, NONE, 0),
  C (assigned, DERIVED, BOOL, LsExpr, assigned, NONE, 0),
  C (expr, DERIVED, TEXT, LsExpr, expr, NONE, 0),
  C (why, DERIVED, TEXT, LsExpr, why, NONE, 0),
  C (name, DERIVED, TEXT, LsExpr, name, NONE, NULLABLE | SINCE (7)),
  C (inputs, DERIVED, TEXT, LsExpr, inputs, NONE, NULLABLE | SINCE (7)),
  C (asked, DERIVED, TEXT, LsExpr, asked, NONE, NULLABLE | SINCE (7)),
};
static const LsColumn code_lines[] = {
  C (code_offset, WITNESS, INT, LsCodeLine, offset, NONE, 0),
  C (line, WITNESS, INT, LsCodeLine, line, NONE, 0),
};
static const LsColumn timings[] = { BARE (ns, WITNESS, INT, guint64, NONE, TIME) };
static const LsColumn arguments[] = { BARE (buffer, DERIVED, INT, guint32, BUFFER, 0) };
static const LsColumn rule_stats[] = {
  C (rule, DERIVED, INT, LsRuleStat, rule, RULE, 0),
  C (tries, DERIVED, INT, LsRuleStat, tries, NONE, 0),
  C (hits, DERIVED, INT, LsRuleStat, hits, NONE, 0),
  C (ns, WITNESS, INT, LsRuleStat, ns, NONE, TIME),
};
static const LsColumn maps[] = {
  C (new_node, DERIVED, NODE, LsMapEntry, new_node, NONE, 0),
  C (old_node, DERIVED, NODE, LsMapEntry, old_node, NONE, 0),
  C (reason, DERIVED, TEXT, LsMapEntry, reason, NONE, 0),
};
static const LsColumn pass_rows[] = { BARE (node, DERIVED, NODE, guint32, NONE, 0) };
static const LsColumn nodes[] = {
  C (op, DERIVED, OP, LsUOp, op, NONE, 0),
  C (dtype, DERIVED, DTYPE, LsUOp, dtype, NONE, 0),
  C (arg, DERIVED, ARG, LsUOp, arg, NONE, 0),
  C (tag, DERIVED, TAG, LsUOp, tag, NONE, 0),
  BARE (src, DERIVED, SOURCES, LsUOp, NONE, NULLABLE),
};
static const LsColumn steps[] = {
  C (rule, DOUBLED, INT, LsLink, rule, RULE, 0),
  C (before, DOUBLED, INT, LsLink, before, NONE, 0),
  C (after, DOUBLED, INT, LsLink, after, NONE, 0),
  C (ns, DOUBLED, INT, LsLink, ns, NONE, TIME),
};
static const LsColumn links[] = { BARE (data, DERIVED, BLOB, gpointer, NONE, 0) };
static const LsColumn settings[] = { BARE (text, DOUBLED, TEXT, gpointer, NONE, 0) };
static const LsColumn meta[] = {
  C (program_name, DOUBLED, OWNED, LsTrace, program_name, NONE, NULLABLE),
  C (program_text, DOUBLED, OWNED, LsTrace, program_text, NONE, NULLABLE),
  C (std_out, WITNESS, OWNED, LsTrace, std_out, NONE, NULLABLE),
  C (error, WITNESS, OWNED, LsTrace, error, NONE, NULLABLE),
  C (error_line, DOUBLED, INT, LsTrace, error_line, NONE, 0),
  C (error_column, DOUBLED, INT, LsTrace, error_column, NONE, 0),
  C (complete, DERIVED, BOOL, LsTrace, complete, NONE, 0),
  C (n_copies, DERIVED, INT, LsTrace, n_copies, NONE, 0),
  C (machine, WITNESS, OWNED, LsTrace, machine, NONE, NULLABLE | TIME),
  C (c_library, WITNESS, OWNED, LsTrace, c_library, NONE, NULLABLE | TIME),
  C (row_counts, DOUBLED, OWNED, LsTrace, row_counts, NONE, NULLABLE | TIME),
  C (record_ns, WITNESS, INT, LsTrace, record_ns, NONE, TIME),
  C (functions, WITNESS, OWNED, LsTrace, functions, NONE, NULLABLE | SINCE (13)),
};

#define COLUMNS(array) array, G_N_ELEMENTS (array)
#define OF_TRACE(name, member, row, key, base, key_offset) \
  { #name, LS_OWNER_TRACE, FALSE, AT (LsTrace, member), sizeof (row), key, base, key_offset, COLUMNS (name) }
#define OF_TRACE_OPTIONAL(name, member, row, key, base, key_offset) \
  { #name, LS_OWNER_TRACE, FALSE, AT (LsTrace, member), sizeof (row), key, base, key_offset, COLUMNS (name), TRUE }
#define OF_TRACE_BY_POINTER(name, member, row, key, base, key_offset) \
  { #name, LS_OWNER_TRACE, TRUE, AT (LsTrace, member), sizeof (row), key, base, key_offset, COLUMNS (name) }
#define OF_KERNEL(name, member, row, columns) { #name, LS_OWNER_KERNEL, FALSE, AT (LsKernel, member), sizeof (row), "position", 0, \
                                                LS_NO_KEY, COLUMNS (columns) }
#define OF_KERNEL_OPTIONAL(name, member, row, columns) { #name, LS_OWNER_KERNEL, FALSE, AT (LsKernel, member), sizeof (row), "position", \
                                                         0, LS_NO_KEY, COLUMNS (columns), TRUE }
#define OF_CODE(name, member, row) { #name, LS_OWNER_KERNEL, FALSE, AT (LsKernel, member), sizeof (row), "position", 0, LS_NO_KEY, \
                                     COLUMNS (name), FALSE, TRUE }
#define OF_PASS(name, member, row)            { #name, LS_OWNER_PASS, FALSE, AT (LsPass, member), sizeof (row), "position", 0, LS_NO_KEY, \
                                                COLUMNS (name) }
#define OF_PASS_OPTIONAL(name, member, row)   { #name, LS_OWNER_PASS, FALSE, AT (LsPass, member), sizeof (row), "position", 0, LS_NO_KEY, \
                                                COLUMNS (name), TRUE }

/* Tables that others refer to come first, so that a reader can check references while it reads. */
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
  [LS_TABLE_KERNEL_OPTIONS] = OF_KERNEL_OPTIONAL (kernel_options, choices, LsKernelOption, kernel_options),
  [LS_TABLE_SEARCHES]      = OF_TRACE_OPTIONAL (searches, searches, LsTraceSearch, "id", 0, LS_NO_KEY),
  [LS_TABLE_CANDIDATES]    = OF_KERNEL_OPTIONAL (candidates, candidates, LsCandidate, candidates),
  [LS_TABLE_RULE_STATS]    = OF_PASS (rule_stats, stats, LsRuleStat),
  [LS_TABLE_MAPS]          = OF_PASS (maps, map, LsMapEntry),
  [LS_TABLE_PASS_ROWS]     = OF_PASS_OPTIONAL (pass_rows, rows, guint32),
};

const LsTable ls_store_nodes = { "nodes", LS_OWNER_TRACE, TRUE, 0, sizeof (LsUOp), "id", 0, AT (LsUOp, id), COLUMNS (nodes) };
const LsTable ls_store_steps = { "steps", LS_OWNER_PASS, FALSE, 0, sizeof (LsLink), "step", 1, LS_NO_KEY, COLUMNS (steps) };
const LsTable ls_store_links = { "links", LS_OWNER_PASS, FALSE, 0, 0, "chunk", 0, LS_NO_KEY, COLUMNS (links) };
const LsTable ls_store_settings = { "settings", LS_OWNER_TRACE, TRUE, 0, 0, "id", 0, LS_NO_KEY, COLUMNS (settings) };
const LsTable ls_store_meta = { "meta", LS_OWNER_TRACE, TRUE, 0, 0, "key", 0, LS_NO_KEY, COLUMNS (meta) };

const char ls_store_special_sql[] =
  "CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;"
  "CREATE TABLE settings (id INTEGER PRIMARY KEY, text TEXT NOT NULL);"
  "CREATE TABLE nodes (id INTEGER PRIMARY KEY, op TEXT NOT NULL, dtype TEXT NOT NULL, arg TEXT NOT NULL, tag INTEGER NOT NULL, src BLOB);"
  "CREATE TABLE links (pass INTEGER, chunk INTEGER, data BLOB NOT NULL, PRIMARY KEY (pass, chunk)) WITHOUT ROWID;"
  "CREATE TABLE steps (pass INTEGER, step INTEGER, rule INTEGER NOT NULL, before INTEGER NOT NULL, after INTEGER NOT NULL, ns INTEGER NOT "
  "NULL, PRIMARY KEY (pass, step)) WITHOUT ROWID;"
  "CREATE TABLE seals (flush INTEGER PRIMARY KEY, rows INTEGER NOT NULL, content TEXT NOT NULL, chain TEXT NOT NULL);"
  "CREATE TABLE sealed_tables (name TEXT PRIMARY KEY, rows INTEGER NOT NULL, digest TEXT NOT NULL) WITHOUT ROWID;"
  "CREATE VIEW named_steps AS SELECT p.kernel, p.name AS pass, s.step, r.name AS rule, r.file, r.line, s.before, s.after, s.ns"
  " FROM steps s JOIN passes p ON p.id = s.pass JOIN rules r ON r.id = s.rule;"
  "CREATE VIEW steps_by_rule AS SELECT r.name AS rule, r.rule_set, r.file, r.line, count(*) AS steps, count(DISTINCT s.pass) AS passes, "
  "sum(s.ns) AS ns FROM steps s JOIN rules r ON r.id = s.rule GROUP BY r.id ORDER BY steps DESC, rule;"
  "CREATE VIEW slowest_rules AS SELECT r.name AS rule, r.rule_set, sum(t.tries) AS tries, sum(t.hits) AS hits, sum(t.ns) AS ns,"
  " CASE WHEN sum(t.hits) > 0 THEN sum(t.ns) / sum(t.hits) END AS ns_per_hit FROM rule_stats t JOIN rules r ON r.id = t.rule GROUP BY "
  "r.id ORDER BY ns DESC, rule;CREATE VIEW idle_rules AS SELECT r.name AS rule, r.rule_set, sum(t.tries) AS tries FROM rule_stats t JOIN "
  "rules r ON r.id = t.rule GROUP BY r.id HAVING sum(t.hits) = 0 ORDER BY tries DESC, rule;"
  "CREATE VIEW pass_summary AS SELECT p.kernel, p.id AS pass, p.name, p.stage, p.kind, p.ns, (SELECT count(*) FROM steps s WHERE s.pass = "
  "p.id) AS steps, (SELECT sum(tries) FROM rule_stats t WHERE t.pass = p.id) AS tries FROM passes p ORDER BY p.id;"
  "CREATE VIEW kernel_summary AS SELECT k.number, k.name, k.target, k.compiler, k.same_as, k.options,"
  " (SELECT count(*) FROM listings l WHERE l.kernel = iif(k.same_as > 0, k.same_as, k.number)) AS uops,"
  " (SELECT count(*) FROM steps s JOIN passes p ON p.id = s.pass WHERE p.kernel = k.number) AS steps,"
  " (SELECT sum(ns) FROM passes p WHERE p.kernel = k.number) AS pass_ns, k.compile_ms, (SELECT min(ns) FROM timings t WHERE t.kernel = "
  "k.number) AS best_ns, (SELECT max(ns) FROM timings t WHERE t.kernel = k.number) AS worst_ns, k.flops, k.bytes, k.run_error FROM "
  "kernels k ORDER BY k.number;CREATE VIEW source_lines AS SELECT s.kernel, s.line, s.node, n.op, n.dtype FROM source_links s JOIN nodes "
  "n ON n.id = s.node ORDER BY s.kernel, s.line, s.position;CREATE VIEW why_kernels AS SELECT d.kernel, k.name, d.node, n.op, n.dtype, "
  "d.reason FROM decisions d JOIN nodes n ON n.id = d.node LEFT JOIN kernels k ON k.number = d.kernel WHERE d.realized = 1 ORDER BY "
  "d.kernel;CREATE VIEW call_tree AS WITH RECURSIVE tree(id, depth, path) AS (SELECT id, 0, name FROM calls WHERE parent < 0"
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
