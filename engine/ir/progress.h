/* Where a run is: written by the process that does it, read by the one that watches over it (app/supervise.c), in memory that both have. */
#pragma once
#include <glib.h>

G_BEGIN_DECLS

typedef enum { LS_PROGRESS_BEGINS, LS_PROGRESS_RUNS, LS_PROGRESS_ENDS } LsProgressPhase;      /* of the program: before it, in it, after it */
typedef struct {
  gint    phase;            /* LsProgressPhase */
  gint64  deadline;         /* of the program, monotonic time in us; 0: none */
  gint64  seconds;          /* what it was given for that */
  guint64 memory;           /* bytes that its objects may take, and its graphs and buffers as many again; 0: no limit */
  guint   kernel;           /* 0: of no kernel */
  char    stage[32];        /* "simplify", "compile"; "": the program's own text */
  char    program[256];     /* the file that its text is of */
  char    recording[1024];  /* the file that is being written, "": none */
  char    end[512];         /* why the process ended itself, "": it did not */
  int     traceback;        /* a file descriptor to which Python writes where the program is when the process is sent LS_PROGRESS_WHERE, or breaks down; -1: none */
} LsProgress;
#define LS_PROGRESS_WHERE (SIGRTMAX - 1)

/* This process' own; a supervisor's worker has it in shared memory. */
extern LsProgress *ls_progress;
void ls_progress_stage (const char *stage, guint kernel);
/* Ends this process, which cannot go on: what is said of it is left in ls_progress. Allocates nothing. */
void ls_progress_end (const char *why) G_GNUC_NORETURN;
/* Memory that a process has; 0: this one. 0 if it cannot be read. */
guint64 ls_resident_bytes (int pid);

G_END_DECLS
