/* LsElementView: one element of a tensor and the elements that it was computed from, as rows that lead to them, with the way back.
 *
 * It asks (ask/ask.h: origins of an element) and keeps the way; who has it shows the values around the element. Signal "shown": there is
 * another element, or none. */
#pragma once
#include <gtk/gtk.h>
#include "session/session.h"

#define LS_TYPE_ELEMENT_VIEW (ls_element_view_get_type ())
G_DECLARE_FINAL_TYPE (LsElementView, ls_element_view, LS, ELEMENT_VIEW, GtkWidget)

/* An element: of a node in the graph of a position, of a kernel's result, or of a buffer as a kernel read it. When it has been answered,
 * pass is where it is seen, and -1 of a buffer. */
typedef enum { LS_ELEMENT_AT_NODE, LS_ELEMENT_AT_RESULT, LS_ELEMENT_AT_BUFFER } LsElementAt;
typedef struct {
  LsElementAt at;
  gint    pass;           /* index in trace->passes, */
  guint   step;
  guint32 node;
  guint   kernel, buffer; /* the kernel whose result it is, or that read the buffer */
  guint64 element;        /* its number: of the node, of the kernel's result, of the buffer */
  guint64 number;         /* of the node at (pass, step) */
} LsElementPlace;

/* An element of a buffer: of the result of the kernel that wrote it, or, with 0, as the kernel reader found it. */
LsElementPlace        ls_element_place_of_memory (guint kernel, guint reader, guint buffer, guint64 element);

GtkWidget            *ls_element_view_new        (void);
/* The recording of the places; another one ends the way. */
void                  ls_element_view_set_trace  (LsElementView *self, LsTrace *trace);
/* To an element; one of the same values takes the place of the last on the way. */
void                  ls_element_view_go         (LsElementView *self, const LsElementPlace *place);
void                  ls_element_view_back       (LsElementView *self);
/* Back to no element. */
void                  ls_element_view_close      (LsElementView *self);
/* The position is another one: that of an element on the way is shown again, otherwise the way ends. */
void                  ls_element_view_moved      (LsElementView *self, gint pass, guint step);
/* NULL: there is none, or its answer is still to come. */
const LsElementPlace *ls_element_view_get_place  (LsElementView *self);
/* The values of the buffer at an LS_ELEMENT_AT_BUFFER, else NULL. */
const LsValues       *ls_element_view_get_values (LsElementView *self);
gboolean              ls_element_view_get_busy   (LsElementView *self);
