/* What scene.c and scene-text.c share. */
#pragma once
#include "scene.h"

G_BEGIN_DECLS

/* Whether a source is drawn inside its consumer. */
typedef gboolean (*LsFolded) (const LsUOp *u, gpointer data);

/* The node's two lines. */
void  ls_scene_words (LsContext *ctx, LsUOp *u, LsFolded folded, gpointer data, GString *title, GString *detail);
/* Cuts text to max characters with an ellipsis in its middle. */
void  ls_scene_cut   (GString *text, guint max);
/* "f32", "i32×4", "f32[64,64]". */
void  ls_scene_type  (LsContext *ctx, LsUOp *u, GString *out);

G_END_DECLS
