/* Colours of graphs: as 0xRRGGBB, for whatever draws them. */
#pragma once
#include "trace/trace.h"

#define LS_N_CLASSES 13      /* of LsOpClass */

/* kinds: border and fill of each LsDiffKind. */
typedef struct { guint32 ground, text, dim, edge, capture, chosen, panel, kinds[2 * LS_N_DIFF], classes[LS_N_CLASSES]; } LsHues;

const LsHues *ls_hues (gboolean is_dark, gboolean contrast);
