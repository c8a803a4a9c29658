/* Data of a kernel's passes, from its AST to its final graph, besides their rules: the contexts of their terms, and kernel options. */
#pragma once
#include "ir/axis.h"
#include "settings.h"
#include "rewrite/rewrite.h"
#include "rules/linear.h"
#include "target.h"

#define LS_MAX_AXES 64
#define MAX_LANES 1024
#define LS_ENOUGH_ACCUMULATORS 32      /* so many hide an addition's latency (accumulate.rules) */

/* Kernel options, "UPCAST:axis:amount": each is a row of options/options.def, which options/option.h describes. */
typedef struct _LsOption LsOption;
#ifndef LS_OPTIONS_DEF      /* a test has a row more */
#define LS_OPTIONS_DEF "options/options.def"
#endif
#define X(name) extern const LsOption ls_option_##name;
#include LS_OPTIONS_DEF
#undef X
extern const LsOption *const ls_options[];      /* in their order; ends with NULL */
/* amount: the option's number, for SWAP the other axis. reason: why the heuristic chose it, a sentence without its full stop; NULL:
 * another source chose it */
typedef struct { const LsOption *option; guint axis; gint64 amount; char *reason; } LsOpt;

/* The contexts of passes. */
typedef struct {
  LsUOp  *ranges[LS_MAX_AXES];     /* of each merged axis, NULL for size 1 */
  guint   n;                       /* merged axes */
  guint   n_full;
  guint   group[LS_MAX_AXES];      /* full axis -> merged axis */
  const LsTracker *view;           /* the one that index and valid are of, */
  guint   n_at;                    /* where these say */
  LsUOp  *at[LS_MAX_AXES];
  LsUOp  *index, *valid;
} LsLowerContext;
typedef struct {
  guint     axis;
  gint64    amount;
  LsUOp    *range, *other;    /* that is split; those that change places */
  LsArg     inner, outer;     /* what becomes of it; of them */
  gboolean  splits, shares, groups, copied;      /* is a part split off? for threads? of a reduce in two stages? is the argument
                                                  * `amount` copied? */
  LsUOp    *padded, *inside;  /* the longer range; is it inside of the axis? */
  gboolean  adds_floats, compares_floats;      /* along them, where that matters */
} LsOptionContext;
/* shared: indices of items that have the same results */
typedef struct { guint n; struct { LsUOp *range; char name[16]; } items[6]; LsUOp *shared[6]; guint n_shared; } LsDimsContext;
typedef struct {
  guint         next;                  /* the number of the next accumulator */
  gboolean      keeps_lanes, ahead;    /* acc=vector? does a sum begin with the accumulator? */
  guint         memory, used;          /* of a group, bytes; 0: partial results are not shared */
  guint         n_memories, n_items;
  LsUOp        *items[LS_MAX_AXES];    /* LOCAL ranges */
  LsDimsContext dims;
} LsAccContext;
typedef struct _LsTile LsTile;
typedef struct { GArray *tiles; } LsTileContext;      /* LsTile; ls_tiles_clear */
typedef struct { LsDType dtype; } LsIndexContext;
/* divisions by constants become products? */
typedef struct { gboolean products; } LsDecomposeContext;
/* The widest vectors that are kept, 0: none; of loads and stores of floats, where arithmetic is scalar; must they lie at multiples of
 * their size? */
typedef struct { guint bytes, lanes; gboolean aligned; } LsVectorContext;

/* The kernel's axes in the order of its name; what its SINK says; where each accumulator will lie; the loads of registers that are
 * there already. ls_registers_clear. */
typedef struct { const GPtrArray *ranges; const char *info; GArray *elements; GPtrArray *loads; } LsRegisterContext;

/* Each fills the context of a pass from its input. */
void ls_lower_prepare (LsContext *ctx, LsUOp *ast, LsLowerContext *pass);
void ls_accumulate_prepare (LsContext *ctx, const LsTarget *target, const LsSettings *settings, LsUOp *root, LsAccContext *pass);
void ls_dims_prepare  (LsContext *ctx, const LsTarget *target, LsUOp *root, LsDimsContext *pass);
/* The indices that ranges will become are called as they. */
void ls_dims_name     (LsContext *ctx, const LsDimsContext *pass, LsNames *names);
void ls_tiles_prepare (LsContext *ctx, LsUOp *root, LsTileContext *pass);
void ls_tiles_clear   (LsTileContext *pass);
void ls_index_prepare (LsContext *ctx, LsUOp *root, LsIndexContext *pass);
void ls_registers_prepare (LsContext *ctx, LsUOp *root, const GPtrArray *ranges, const char *info, LsRegisterContext *pass);
void ls_registers_clear   (LsRegisterContext *pass);
/* Has the graph an array of more than one register? */
gboolean ls_registers_are_arrays (LsContext *ctx, LsUOp *root);

extern const LsTerm ls_lower_terms[], ls_options_terms[], ls_expand_terms[], ls_dims_terms[], ls_index_terms[], ls_decompose_terms[],
             ls_vectors_terms[], ls_registers_terms[], ls_tile_terms[], ls_partials_terms[];

/* "UPCAST:0:4,UNROLL:1:8" as GArray of LsOpt. LS_ERROR_USAGE for a text that is not an option. */
GArray     *ls_opts_parse   (const char *text, GError **error);
GArray     *ls_opts_new     (void);
char       *ls_opt_text     (const LsOpt *opt);
/* The options to try on the axes of a graph, legal or not: for each option and axis the powers of two up to most, and with whole the
 * size of the axis; for two axes each pair once; each argument. */
GArray     *ls_opts_to_ask  (LsContext *ctx, LsUOp *root, gint64 most, gboolean whole);
/* The heuristic's choice, each option with its reason. lowered: the simplified graph that options will split the ranges of. */
GArray     *ls_opts_choose  (LsContext *ctx, const LsSettings *settings, const LsTarget *target, LsUOp *lowered);
/* Does the option, as pass has it, give sums or maxima of floats another order? It is said in pass. */
void        ls_opt_look_at_reduces (LsContext *ctx, LsUOp *root, LsOptionContext *pass);
/* Why the option cannot be applied to this graph, or NULL: then pass is the context of the options pass. */
const char *ls_opt_refusal  (LsContext *ctx, const LsSettings *settings, const LsTarget *target, const LsOpt *opt, LsUOp *root,
                             LsOptionContext *pass);

/* Is a tile made of that argument, or of any (-1)? */
gboolean    ls_tile_is_there (LsContext *ctx, LsUOp *root, gint64 argument);

/* Do work items share the partial results of GROUP? And the bytes of a group's memory that these take, with one more GROUP of so many
 * items if next is a reduced range. */
gboolean    ls_partials_are_shared (const LsTarget *target, const LsSettings *settings);
double      ls_partials_bytes      (LsContext *ctx, const LsTarget *target, LsUOp *root, const LsUOp *next, gint64 amount);
/* Is the index a sum of ranges, each times a number, and a number? Then a tile can be made of the loaded elements; its axes are the
 * ranges inside a loop. */
gboolean    ls_tile_sum         (LsUOp *index, LsLinear *sum);
gboolean    ls_tile_is_marked   (const LsUOp *u);
gboolean    ls_tile_goes_inside (const LsUOp *range, const LsUOp *loop);
/* The ranges of a graph in the order of axes and parts. Free with g_ptr_array_unref. */
GPtrArray  *ls_ranges_of    (LsContext *ctx, LsUOp *root);
/* "r_16_16_64_4_4": outer output axes, that of threads, local ones, reduced ones, then what is unrolled and upcast. Free with g_free. */
char       *ls_kernel_name  (LsContext *ctx, LsUOp *root);
char       *ls_kernel_name_of (LsContext *ctx, LsUOp *root, const GPtrArray *ranges);      /* of ls_kernel_ranges */

/* The ranges in the order of the name; upcast before reduced ones where a profile says so (LsProfileInfo.appends). Free with
 * g_ptr_array_unref. */
GPtrArray  *ls_kernel_ranges (LsContext *ctx, LsUOp *root, gboolean appends);
/* "KernelInfo(name=…": what profile=modern's SINK says; opts: what ls_kernel_info_opt wrote of each option, before it was applied.
 * Free with g_free. */
char       *ls_kernel_info   (const char *name, const char *suffix, const GPtrArray *ranges, const char *opts);
void        ls_kernel_info_opt (GString *opts, LsContext *ctx, LsUOp *root, const LsOpt *opt);

LsUOp *ls_range_new (LsContext *ctx, LsDType dtype, gint64 size, gint64 axis, LsAxisType type, gint64 part);
