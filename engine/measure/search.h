/* The fastest options of a kernel by a beam search: layer by layer, one option more than in the layer before. */
#pragma once
#include "answer/read.h"
#include "compare.h"
#include "pipeline/session.h"

typedef struct {
  guint   kernel, width;
  const char *kernel_name, *machine;
  GArray *rows;             /* LsCandidate, parents before their children; their texts are in strings */
  GStringChunk *strings;
  guint   chosen;           /* the row, */
  guint   heuristic;        /* and that of the heuristic's choice; G_MAXUINT: it has none */
  guint   n_compiled;
  guint   n_rounds;         /* the last ones, in which the best and the heuristic's choice are judged; 0: there was nothing to judge */
  double  noise;            /* by how much a kernel's time by its own parted from 1 in them; NaN: not known */
  const char *compiler;     /* whose code was timed */
  const char *version, *flags;      /* "" where they are not known */
  const char *ended;        /* why the search ended; NULL: it has not */
  double  seconds;
  gboolean cached;          /* it is of an earlier time, from the cache */
  gboolean recorded;        /* and this of a recording */
} LsSearch;

typedef struct {
  guint    width;           /* of the beam, from 1; of a layer twice as many are compiled */
  double   seconds;         /* no layer is begun after them; 0: LS_SEARCH_SECONDS */
  gboolean no_cache;        /* measures again, and stores the new result */
  /* Called before each layer; FALSE ends the search. NULL-able. */
  gboolean (*go_on) (gpointer data);
  gpointer data;
} LsSearchHow;

#define LS_SEARCH_SECONDS 12.0

/* Searches options for a kernel of a recording, compiled as the variant says (completed; its options and C file are not looked at). The
 * failure of one candidate is its reason for being dropped. NULL, with LS_ERROR_USAGE or an error of the pipeline, when there is no such
 * kernel or it cannot be lowered. */
LsSearch *ls_search      (LsTrace *trace, guint kernel, const LsVariant *variant, const LsSearchHow *how, GError **error);
void      ls_search_free (LsSearch *search);
/* The same for a kernel that a session is about to compile, on the contents of its buffers; the recording stores it. */
LsSearch *ls_search_session (LsSession *session, LsKernel *kernel, const LsVariant *variant, const LsSearchHow *how, GError **error);
/* The whole answer, and a candidate of it: what JSON, CSV, the text table and the cache have of them. */
extern const LsRecord ls_search_answer, ls_candidate_answer;
/* Why its choice is the one, half a sentence. Free with g_free. */
char     *ls_search_reason  (const LsSearch *search);
/* Keeps it in a recording, whose kernel has none. */
void      ls_search_record   (const LsSearch *search, LsTrace *trace);
/* The search in a recording, which must outlive it, for a kernel or for the one whose code it uses; NULL: none. */
LsSearch *ls_search_recorded (LsTrace *trace, guint kernel);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsSearch, ls_search_free)
