/* Settings: one table, set by --set NAME=VALUE, by environment variable of the same name, or per variant. */
#pragma once
#include <glib.h>

/* X: numbers, W: words, a C enum LS_NAME_… of them; L: numbers that do not change code, but reports, checks or limits.
 *   NAME          default  from  to  sentence */
#define LS_SETTING_TABLE(X, L, W) \
  L(DEBUG,         0, 0, 7, "How much is printed on stderr, 0 to 7.") \
  X(NOOPT,         0, 0, 1, "1: no kernel options are chosen.") \
  X(MERGE_VIEWS,   1, 0, 1, "0: every movement op appends a view to the shape tracker.") \
  X(EXPAND_SSA,    0, 0, 1, "1: every ALU op gets its own variable in the source.") \
  L(SPEC,          0, 0, 2, "1: graphs are checked between stages; 2: also at construction.") \
  X(CLASSIC,       0, 0, 1, "1: the classic profile: options, decompositions, operand order, C dialect and listing style of early 2024.") \
  X(MODERN,        0, 0, 1, "1: the modern profile.") \
  L(REPEATS,       3, 1, G_MAXINT32, "Number of timed runs of each kernel.") \
  L(TIMEOUT_MS,    10000, 0, G_MAXINT32, "Time limit of one kernel launch in milliseconds; 0: no limit.") \
  L(STEP_LIMIT,    1000000, 0, G_MAXINT32, "Maximum rule applications of one pass, to stop endless rewrites; 0: no limit.") \
  L(NODE_LIMIT,    4000000, 0, G_MAXINT32, "Maximum nodes one pass may make, in addition to 64 per node of its input; 0: no limit.") \
  X(LOOP_NAMES,    1, 0, 1, "1: loops in the source have the names of their axes: i, j, k; 0: they are numbered: ridx0.") \
  X(MAX_EXPR,      160, 0, G_MAXINT32, "Longest inlined expression in generated source, in characters; 0: no limit.") \
  L(TIME_S,        600, 0, G_MAXINT32, "Time limit of a program in seconds; 0: no limit.") \
  L(MEMORY_MB,     8192, 0, G_MAXINT32, "Memory limit of a program in MB, for objects, graphs, buffers and process; 0: no limit.") \
  L(MEMORY_PLAN,   1, 0, 1, "0: the memory plan gives each intermediate buffer bytes of its own.") \
  L(MULTIOUTPUT,   1, 0, 1, "0: a kernel stores one value; 1: several, if they share its loops and loads.") \
  L(LAZYCACHE,     1, 0, 1, "0: each call makes nodes of its own; 1: equal nodes are one, and computed once.") \
  L(FUSE,          1, 0, 1, "0: a kernel computes one reduce; 1: several, where nothing is computed again for it.") \
  L(SPLIT_REDUCEOP, 0, 0, 1, "1: a reduce of many elements to few results becomes two: of partial results, and of these.") \
  L(REDUCEOP_SPLIT_THRESHOLD, 32768, 2, G_MAXINT32, "Least number of elements of each result of a split reduce.") \
  L(WELFORD,       0, 0, 1, "1: variances come from sums that need no mean; FUSE_LOOPS=1 computes these in one loop.") \
  X(UPCAST_MAX,    256, 1, 4096, "Maximum number of values that one iteration of a kernel is expanded to.") \
  X(DEVECTORIZE,   1, 0, 1, "0: keeps vectors in the source if the target has them; needs a compiler with vector extensions.") \
  X(NOLOCALS,      0, 0, 1, "1: no work groups are chosen, even if the target has them.") \
  X(THREADS,       1, 1, 64, "Maximum threads of a long kernel, chosen or searched, if the target has threads; 1: off.") \
  X(FMA,           0, 0, 1, "1: a product and a sum become one operation with one rounding (fused multiply-add).") \
  X(FAST_IDIV,     0, 0, 1, "1: division of an integer by a constant becomes a product and a shift, if the product fits.") \
  X(TRANSCENDENTAL, 1, 0, 2, "1: exp2, log2 and sin are the engine's own functions; 0: those of the C library; 2: as 1.") \
  X(FUSE_LOOPS,    0, 0, 1, "1: loops of a procedure over the same range are fused, if neither depends on the other.") \
  X(UNROLL_LOOPS,  0, 0, 64, "Unroll factor for loops of a procedure; shorter loops are unrolled completely. 0: off.") \
  X(PROPAGATE,     0, 0, 1, "1: constants are propagated and folded in procedures.") \
  X(HOIST,         0, 0, 1, "1: rows of a procedure that do not change in a loop move in front of it.") \
  W(ACC,           VECTOR, "scalar: a reduce combines its lanes in each iteration of its loops; vector: only after the loops.")

/* The words that a setting can be. */
#define LS_ACC_TABLE(X) X (SCALAR, "scalar") X (VECTOR, "vector")
typedef enum {
#define X(name, word) LS_ACC_##name,
  LS_ACC_TABLE (X)
#undef X
} LsAcc;

/* Named bundles of settings and of ways to write kernels that differ from the default (engine/DESIGN.md 6). A target has a dialect for
 * each. MAX_EXPR, ACC, LOOP_NAMES  of the settings
 * lanes      widest load or store of floats, aligned, while arithmetic is scalar; 0: as wide as arithmetic
 * ahead      a sum in an iteration begins with the accumulator, not with the addend
 * appends    an option's new axis comes after the other axes of its type, whichever axis it was split off: it runs faster
 * numbers    a kernel with the name of an earlier, different one gets a number after its name: r_4_10n1
 * registers  accumulators are arrays of registers, addressed through pointers
 * blocks     instructions are ordered by blocks and priorities (linearize-blocks.c), not depth first
 * spells     spell.rules write ops as compilers of the profile's time did
 * digits     constants are printed with the digits that they were written with, not with the fewest exact ones
 */
/*   NAME     name       MAX_EXPR  ACC  LOOP_NAMES  lanes ahead appends numbers registers blocks spells digits */
#define LS_PROFILE_TABLE(X) \
  X(CLASSIC, "classic", 0,   SCALAR, 0, 0, FALSE, FALSE,  FALSE, FALSE,   FALSE, FALSE, TRUE) \
  X(MODERN,  "modern",  0,   SCALAR, 0, 4, TRUE,  TRUE,   TRUE,  TRUE,    TRUE,  TRUE,  TRUE) \
  X(DEFAULT, "default", 160, VECTOR, 1, 0, FALSE, FALSE,  FALSE, FALSE,   FALSE, FALSE, FALSE)

typedef enum {
#define X(NAME, ...) LS_PROFILE_##NAME,
  LS_PROFILE_TABLE (X)
#undef X
  LS_N_PROFILES
} LsProfile;

#define LS_PROFILE_SENTENCE "The forms of early 2024, of mid-2025, or our own."

typedef struct {
  const char *name;
  gint64      max_expr;
  LsAcc       acc;
  gint64      loop_names;
  guint       lanes;
  gboolean    ahead, appends, numbers, registers, blocks, spells, digits;
} LsProfileInfo;
extern const LsProfileInfo ls_profile_infos[LS_N_PROFILES];

typedef struct {
#define X(name, ...) gint64 name;
  LS_SETTING_TABLE (X, X, X)
#undef X
} LsSettings;

typedef struct { const char *name; gint64 def, from, to; const char *sentence; gsize offset; gboolean of_code; const char *const *words;
                 } LsSettingInfo;      /* of_code: it
 * changes code; words: of the values from 0, or NULL: numbers */
extern const LsSettingInfo ls_setting_infos[];      /* ends with a NULL name */

/* The defaults, with the environment's values over them. */
void     ls_settings_init (LsSettings *settings);
/* Invalid settings in the environment, a line each: "DEBUG=9: …"; NULL if there are none. They are removed from the environment, which
 * programs read. Free with g_free. */
char    *ls_settings_ignored (void);
/* "NAME=VALUE"; also "profile=classic|modern|default". FALSE and LS_ERROR_USAGE for an unknown name or a value that is not a number. */
gboolean ls_settings_set  (LsSettings *settings, const char *assignment, GError **error);

/* "NAME=VALUE" with the value in settings. Free with g_free. */
char       *ls_setting_text (const LsSettings *settings, const LsSettingInfo *info);
const char *ls_profile_name (LsProfile profile);

static inline LsProfile
ls_settings_profile (const LsSettings *settings)
{
  return settings->CLASSIC ? LS_PROFILE_CLASSIC : settings->MODERN ? LS_PROFILE_MODERN : LS_PROFILE_DEFAULT;
}

static inline const LsProfileInfo *
ls_settings_profile_info (const LsSettings *settings)
{
  return &ls_profile_infos[ls_settings_profile (settings)];
}
