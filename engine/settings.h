/* Settings: one table, set by --set NAME=VALUE, by environment variable of the same name, or per variant. */
#pragma once
#include <glib.h>

/* X: numbers, W: words, a C enum LS_NAME_… of them; L: numbers that change no code, but what is reported, checked or allowed.
 *   NAME          default  from  to  sentence */
#define LS_SETTING_TABLE(X, L, W) \
  L(DEBUG,         0, 0, 7, "What is printed on stderr, 0 to 7.") \
  X(NOOPT,         0, 0, 1, "1: no kernel options are chosen.") \
  X(MERGE_VIEWS,   1, 0, 1, "0: every movement op appends a view to the shape tracker.") \
  X(EXPAND_SSA,    0, 0, 1, "1: every ALU op gets its own variable in the source.") \
  L(SPEC,          0, 0, 2, "1: graphs are checked between stages; 2: also at construction.") \
  X(CLASSIC,       0, 0, 1, "1: the classic profile: options, decompositions, operand order, C dialect and listing style of early 2024.") \
  X(MODERN,        0, 0, 1, "1: the modern profile.") \
  L(REPEATS,       3, 1, G_MAXINT32, "How often a kernel is timed.") \
  L(TIMEOUT_MS,    10000, 0, G_MAXINT32, "Time limit of one kernel launch in milliseconds; 0: no limit.") \
  L(STEP_LIMIT,    1000000, 0, G_MAXINT32, "Most rule applications of one pass before it is called endless; 0: no limit.") \
  L(NODE_LIMIT,    4000000, 0, G_MAXINT32, "Most nodes one pass may make before it is called endless, beside 64 for each node there was; " \
                                           "0: no limit.") \
  X(MAX_EXPR,      160, 0, G_MAXINT32, "Longest inlined expression in generated source, in characters; 0: no limit.") \
  L(TIME_S,        600, 0, G_MAXINT32, "Most seconds a program may run; 0: no limit.") \
  L(MEMORY_MB,     8192, 0, G_MAXINT32, "Most memory that a program may take, in MB: its objects, its graphs and buffers, its process; " \
                                        "no limit.") \
  X(UPCAST_MAX,    256, 1, 4096, "Most values one iteration of a kernel may be expanded to.") \
  X(DEVECTORIZE,   1, 0, 1, "0: vectors are kept to the end where the target has them, which needs a compiler with vector extensions.") \
  X(NOLOCALS,      0, 0, 1, "1: no work groups are chosen where the target has them.") \
  X(THREADS,       1, 1, 64, "Most threads that a long kernel gets, or a search tries, where the target has them; 1: none.") \
  X(FMA,           0, 0, 1, "1: a product that is added to becomes one operation with one rounding.") \
  X(FAST_IDIV,     0, 0, 1, "1: an integer is divided by a constant with a product and a shift, where the product fits.") \
  X(TRANSCENDENTAL, 1, 0, 2, "exp2, log2 and sin of floats are polynomials, " \
    "0: never, 1: where the target has no such function, 2: always.") \
  X(FUSE_LOOPS,    0, 0, 1, "1: loops of a procedure over the same numbers become one, where neither needs the other's result.") \
  X(UNROLL_LOOPS,  0, 0, 64, "Loops of a procedure are unrolled by that factor, shorter ones completely; 0: none.") \
  X(PROPAGATE,     0, 0, 1, "1: what a procedure computes of constants becomes a constant.") \
  X(HOIST,         0, 0, 1, "1: rows of a procedure that are the same in every iteration of a loop stand before it.") \
  W(ACC,           VECTOR, "scalar: the lanes of a reduce are added up in each iteration of its loops; vector: they are kept to the end.")

/* What words a setting may be. */
#define LS_ACC_TABLE(X) X (SCALAR, "scalar") X (VECTOR, "vector")
typedef enum {
#define X(name, word) LS_ACC_##name,
  LS_ACC_TABLE (X)
#undef X
} LsAcc;

/* Named bundles of settings, and of ways to write what the default writes otherwise (engine/DESIGN.md 6). A target has a dialect for each.
 * MAX_EXPR, ACC  of the settings
 * lanes      most of a load or store of floats, at multiples of their size, while arithmetic is scalar; 0: as many as arithmetic has
 * ahead      a sum in an iteration begins with the accumulator, not with what is added
 * appends    an option's new axis stands after those of its kind, whichever it was split off: it runs faster than they
 * numbers    a kernel called like an earlier, different one has a number after its name: r_4_10n1
 * registers  accumulators are arrays of registers, addressed through pointers
 * blocks     instructions are in order of blocks and priorities (linearize-blocks.c), not depth first
 * spells     spell.rules write ops as the profile's time did
 * digits     constants are printed with the digits that they were written with, not with the fewest that say them
 */
/*   NAME     name       MAX_EXPR  ACC     lanes ahead appends numbers registers blocks spells digits */
#define LS_PROFILE_TABLE(X) \
  X(CLASSIC, "classic", 0,   SCALAR, 0, FALSE, FALSE,  FALSE, FALSE,   FALSE, FALSE, TRUE) \
  X(MODERN,  "modern",  0,   SCALAR, 4, TRUE,  TRUE,   TRUE,  TRUE,    TRUE,  TRUE,  TRUE) \
  X(DEFAULT, "default", 160, VECTOR, 0, FALSE, FALSE,  FALSE, FALSE,   FALSE, FALSE, FALSE)

typedef enum {
#define X(NAME, ...) LS_PROFILE_##NAME,
  LS_PROFILE_TABLE (X)
#undef X
  LS_N_PROFILES
} LsProfile;

typedef struct { const char *name; gint64 max_expr; LsAcc acc; guint lanes; gboolean ahead, appends, numbers, registers, blocks, spells,
                 digits; } LsProfileInfo;
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
/* What the environment sets to something that it cannot be, a line each: "DEBUG=9: …". NULL: nothing. It is taken out of the
 * environment, where a program would read it. Free with g_free. */
char    *ls_settings_ignored (void);
/* "NAME=VALUE"; also "profile=classic|modern|default". FALSE and LS_ERROR_USAGE for an unknown name or a value that is not a number. */
gboolean ls_settings_set  (LsSettings *settings, const char *assignment, GError **error);

/* "NAME=VALUE" as it stands in settings. Free with g_free. */
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
