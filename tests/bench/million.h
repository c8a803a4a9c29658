/* A recording with a pass of any length: sums that a rule counts down, below a balanced tree.
 *
 * STEPS steps over TERMS sums, each with a constant of STEPS/TERMS; at any step the graph has about 4 * TERMS nodes, none of them index
 * arithmetic, so that a picture of it shows them all.
 */
#pragma once
#include "trace/trace.h"

/* The trace has one pass, "bench". */
LsTrace *million_new (guint steps, guint terms);
