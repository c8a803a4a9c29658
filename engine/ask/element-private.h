/* Shared by the two files of the origins of elements: what is asked, and the buffers that it is about. */
#pragma once
#include "values-private.h"
#include "ir/view.h"

#define LS_MOST_ELEMENT_AXES 32

/* What the elements of one buffer have in common. */
typedef struct {
  guint      buffer;
  LsShape    shape;        /* of its tensor; n 0 of a size that is not 1: not known */
  const LsTracker *through;      /* the named tensor as a view of the buffer; NULL: they have the same order */
  guint32   *seen;         /* of each element of the buffer its number in that view, made when it is needed; G_MAXUINT32: none */
  LsElementOrigin common;
} LsElementMemory;

typedef struct {
  LsElementOrigins *o;
  LsTrace     *trace;
  LsReference *r;
  LsContext   *ctx;
  const LsPass *pass;      /* whose graph is asked, or NULL */
  guint        before;     /* kernels below this number have written */
  GHashTable  *memories;   /* buffer + 1 -> LsElementMemory */
  LsProgramIndex *index;
  GHashTable  *lines;      /* of the program, that the graph is from */
  guint32      lined;      /* the last constant whose line was looked up, and that line */
  guint        line;
} LsElementAsked;

/* Owned by the answer; takes the text, which may be NULL. */
const char      *ls_element_keep       (LsElementOrigins *o, char *text);
/* The last kernel below that number that writes the buffer, or 0. */
guint            ls_element_writer     (LsTrace *trace, guint before, guint buffer);
/* The STORE of a kernel's graph into its result, or NULL. */
LsUOp           *ls_element_store      (LsUOp *root, guint output);
/* The element of a view that is this one of what it is a view of. FALSE: there is none, or it was not found. */
gboolean         ls_element_invert     (const LsTracker *t, guint64 element, guint64 *out);
LsElementMemory *ls_element_memory     (LsElementAsked *a, guint buffer);
void             ls_element_memory_free (gpointer memory);
/* The indices of an element; as text, "1,2", "" of a scalar. */
void             ls_element_split      (LsShape shape, guint64 element, gint64 *index);
char            *ls_element_indices    (LsShape shape, guint64 element);
/* An element of a buffer, with its value where that is known. */
LsElementOrigin  ls_element_of_buffer  (LsElementAsked *a, guint buffer, guint64 element);
