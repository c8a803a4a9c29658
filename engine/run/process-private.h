/* One runner process and the conversation with it. */
#pragma once
#include <glib.h>
#include "runner/protocol.h"

typedef struct _LsProcess LsProcess;

typedef enum {
  LS_REPLY_OK,
  LS_REPLY_TIMEOUT,
  LS_REPLY_GONE,      /* the process ended or crashed: ls_process_end says how */
  LS_REPLY_MIXED,     /* the message answers another request, or another process's: ls_process_end says whose */
} LsReply;

/* The path of lazyscope-runner or, with llvm, of lazyscope-runner-llvm, or NULL: $LAZYSCOPE_RUNNER (with
 * "-llvm" behind it), next to the program, in libexec next to its folder, the installed one, the
 * one of the build. */
char      *ls_process_find_runner (gboolean llvm);
/* Starts one. NULL and LS_ERROR_RUN when it cannot be. memory_fd is shared with it, reserved bytes of it are mapped. */
LsProcess *ls_process_new    (gboolean llvm, int memory_fd, guint64 reserved, GError **error);
/* Before the first message to it. FALSE and LS_ERROR_RUN when it did not start. */
gboolean   ls_process_wait_ready (LsProcess *process, GError **error);
/* Kills it. */
void       ls_process_free   (LsProcess *process);
/* In the child of a fork: frees what the child has of it; the process is the parent's and goes on. */
void       ls_process_leave  (LsProcess *process);
gboolean   ls_process_alive  (LsProcess *process);
/* A request, with the next sequence number. FALSE when the process is gone. */
gboolean   ls_process_send   (LsProcess *process, LsMessageKind kind, const GByteArray *payload);
/* Waits for a message of that kind that answers the last request until the monotonic time deadline (µs). payload is allocated on
 * LS_REPLY_OK. */
LsReply    ls_process_receive (LsProcess *process, LsMessageKind kind, gint64 deadline, GByteArray **payload);
/* How a process that is gone ended, as the end of a sentence: "crashed (SIGSEGV at address 0x8)", "ended the process (exit status 3)". */
char      *ls_process_end    (LsProcess *process);
/* Whether it crashed of an arithmetic fault, or of the trap that a compiler puts where it has seen one. */
gboolean   ls_process_divided (const LsProcess *process);
