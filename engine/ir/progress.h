/* How far a run is: written by the worker, read by its supervisor (app/supervise.c), in shared memory. */
#pragma once
#include <glib.h>

/* of the program: before it, in it, after it */
typedef enum { LS_PROGRESS_BEGINS, LS_PROGRESS_RUNS, LS_PROGRESS_ENDS } LsProgressPhase;
typedef struct {
  gint    phase;            /* LsProgressPhase */
  gint64  deadline;         /* of the program, monotonic time in us; 0: none */
  gint64  seconds;          /* what it was given for that */
  guint64 memory;           /* bytes that the program may take; 0: no limit */
  guint   kernel;           /* 0: of no kernel */
  char    stage[32];        /* "simplify", "run"; "": the program's own text */
  char    program[256];     /* the file that its text is of */
  char    recording[1024];  /* the file that is being written, "": none */
  char    end[512];         /* why the process ended itself, "": it did not */
  int     traceback;        /* file descriptor: Python writes a traceback there on signal LS_PROGRESS_WHERE and when the process
                             * crashes; -1: none */
} LsProgress;
#define LS_PROGRESS_WHERE (SIGRTMAX - 1)

/* In a worker the memory that it shares with its supervisor, else this process' own. */
extern LsProgress *ls_progress;
void ls_progress_stage (const char *stage, guint kernel);
/* Ends this process with status 1 and leaves the reason to the supervisor. Allocates nothing. */
void ls_progress_end (const char *why) G_GNUC_NORETURN;
/* Resident memory of a process in bytes (pid 0: of this one); 0 if it cannot be read. */
guint64 ls_resident_bytes (int pid);
