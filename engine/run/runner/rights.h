/* The system calls that the threads of lazyscope-runner may make. */
#pragma once
#include <glib.h>

/* Is that (si_arch of SIGSYS) another machine's convention of calls than this program's? */
gboolean ls_rights_is_foreign     (guint machine);

/* For the whole process, the compilers that it starts included: no signals to other processes, no tracing, no sockets. Before there are
 * other threads. FALSE: this system or machine has no way to. */
gboolean ls_rights_limit_process (void);
/* For the calling thread and all that it starts: memory, threads, clocks and the socket to the caller, and nothing else. Another call
 * ends the process with SIGSYS. */
gboolean ls_rights_limit_thread  (void);

/* The files that a compiler may open: those of the system and of its own installation (program: its path) to read, and those in
 * directory. A descriptor for ls_rights_enter_files, or -1 where there is no way to. */
int  ls_rights_files_new   (const char *directory, const char *program);
/* In the process that becomes the compiler, before it does. Nothing happens for -1. */
void ls_rights_files_enter (int rights);
