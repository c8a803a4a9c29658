/* The threads of kernels that take the number of theirs. */
#pragma once
#include <glib.h>

/* Calls code once for each thread, all at the same time, and comes back when all have. Each gets the n arguments and, after them, the
 * address of its number, an int. The calling thread is number 0; the others are made when they are first needed, and sleep in
 * between. */
void ls_threads_call (void (*code) (void **arguments), guint n, void *const *arguments, guint n_threads);
/* Signals of this thread, which has that number, are dealt with on a stack of their own: a kernel may have used up the ordinary one. */
void ls_threads_give_signal_stack (guint number);
