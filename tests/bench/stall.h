/* How long the main loop was away from its sources: the longest time between two looks for new events, during which no key is taken. */
#pragma once
#include <glib.h>

void   stall_watch (void);      /* of the default main context, from now on */
/* Milliseconds of the longest stall since the last call. */
double stall_take  (void);
