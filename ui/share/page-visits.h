/* What a page says of the driver's walk: the visits that led to each step of a pass, the stack at its match and the rules asked there. */
#pragma once
#include "film.h"
#include "trace/trace.h"

typedef struct _LsPageVisits LsPageVisits;

/* NULL of a pass that is not a rewrite. */
LsPageVisits *ls_page_visits_new  (LsTrace *trace, const LsPass *pass);
void          ls_page_visits_free (LsPageVisits *visits);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsPageVisits, ls_page_visits_free)

/* The member "visits" of the frame of a step, from 1, followed by a comma. Those of long passes are left out from where they would make
 * the page much larger. */
void          ls_page_visits_add  (LsPageVisits *visits, LsFilm *film, GString *members, guint step);
