/* Graphs made by hand, for the tests of the graph view: no program runs. */
#pragma once
#include "graph/layout/layout.h"
#include "trace/trace.h"

typedef struct { LsContext *ctx; LsTrace *trace; } Fixture;

void          fixture_set_up    (Fixture *f, gconstpointer unused);
void          fixture_tear_down (Fixture *f, gconstpointer unused);
#define ADD_GRAPH_TEST(path, function) g_test_add (path, Fixture, NULL, fixture_set_up, function, fixture_tear_down)

LsUOp        *make_global       (LsContext *c, int n);      /* data<n>, of 4,096 floats */
LsUOp        *make_index        (LsContext *c, gint64 i);
LsUOp        *make_range        (LsContext *c, gint64 axis, gint64 size);
LsUOp        *make_load         (LsContext *c, LsUOp *buffer, LsUOp *index);
LsUOp        *make_store        (LsContext *c, LsUOp *buffer, LsUOp *index, LsUOp *value);      /* and the SINK over it */
LsUOp        *make_mul          (LsContext *c, LsUOp *a, LsUOp *b);
LsUOp        *make_add          (LsContext *c, LsUOp *a, LsUOp *b);

/* data0[i*64+k] = data1[i*64+k] * 4 */
LsUOp        *make_scale        (LsContext *c, LsUOp **product);
/* x * 1 became x: the product is gone, what used it changed, the rest is the same. */
LsGraphDiff  *make_mul_one      (Fixture *f, LsUOp **x, LsUOp **gone, LsUOp **user);
/* Loads from 8 buffers, and n sums and products of recent nodes. */
LsUOp        *make_large        (LsContext *c, guint n);
/* n boxes of random widths in layers like those of unrolled kernels: wide, each except the first with fan edges from recent boxes. */
LsLayoutInput *make_layout_input (guint n, guint fan);
