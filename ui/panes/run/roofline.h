/* LsRoofline: what the columns of a comparison reach, below what the machine was measured to do: operations a second over operations a
 * byte, both axes logarithmic. A slope for each memory's bandwidth, a line for the peak of one core, a point for each column. */
#pragma once
#include "session/compared.h"
#include <gtk/gtk.h>

#define LS_TYPE_ROOFLINE (ls_roofline_get_type ())
G_DECLARE_FINAL_TYPE (LsRoofline, ls_roofline, LS, ROOFLINE, GtkWidget)

/* compared and names (one a column) are the caller's, and are read until others are set; NULL: nothing is shown. Nor is anything of
 * kernels without operations of floats. */
void   ls_roofline_set   (LsRoofline *self, const LsCompared *compared, char *const *names);
/* What the picture says of a column, in words: "1: as it is: 20.1 GFLOPS, 48 % of the peak of 41.9; …". Free with g_free; NULL: the column
 * has no point. */
char  *ls_roofline_words (LsRoofline *self, guint column);
