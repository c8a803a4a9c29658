/* LsTexts: texts in two columns, a choice of pages each: side by side, or one of them in the room of both. */
#pragma once
#include <gtk/gtk.h>

#define LS_TYPE_TEXTS (ls_texts_get_type ())
G_DECLARE_FINAL_TYPE (LsTexts, ls_texts, LS, TEXTS, GtkWidget)

/* name, title and tip belong to the caller and are not copied. tools: widgets at the end of the bar while the page is visible, or NULL. */
void        ls_texts_add         (LsTexts *self, guint column, GtkWidget *page, const char *name, const char *title, const char *tip,
                                  GtkWidget *tools);
void        ls_texts_rename   (LsTexts *self, const char *name, const char *title);
/* FALSE: there is no page of that name. */
gboolean    ls_texts_show        (LsTexts *self, const char *name);
/* The page chosen in a column, whether it is seen or not; NULL: the column has none. */
const char *ls_texts_get_shown   (LsTexts *self, guint column);
/* Whether a column has room; signal "changed" reports it, and pages. */
gboolean    ls_texts_is_seen     (LsTexts *self, guint column);
/* 1 or 2. */
void        ls_texts_set_columns (LsTexts *self, guint columns);
guint       ls_texts_get_columns (LsTexts *self);
GtkPaned   *ls_texts_get_split   (LsTexts *self);
/* A button for a page's tools, which copies: clicked (self). */
GtkWidget  *ls_texts_add_copy    (GtkWidget *tools, const char *name, const char *tip, GCallback clicked, gpointer self);
