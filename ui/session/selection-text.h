/* The selection in one plain line: what is chosen, and how much of everything else belongs to it. */
#pragma once
#include "session.h"

/* "3 rows descend from the chosen node · line 27 · 6 instructions · program line 3"; "" when nothing is chosen. Free with g_free. */
char *ls_selection_text (LsViewSession *session);
