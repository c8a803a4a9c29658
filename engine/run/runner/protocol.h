/* The messages between the calling process and lazyscope-runner over their socket.
 *
 * A message is a head and its payload; integers are in native order, because both ends are the same machine and the same build (READY's
 * version checks it). The caller sends LAUNCH and gets COMPILED, then, when that says ok, RAN; or CRASHED, or the socket closes. Only
 * the caller's buffers and the source go across: contents of buffers are in the shared memory.
 *
 * A request carries the pid of its caller and a number that grows by 1 with each request; its reply carries the same two. So a caller
 * notices a reply that is not its own: one to an earlier request, to another process that inherited the socket, or bytes that a kernel
 * wrote.
 */
#pragma once
#include <glib.h>

#define LS_PROTOCOL_VERSION 7
#define LS_PROTOCOL_SOCKET  3       /* descriptors of the runner */
#define LS_PROTOCOL_MEMORY  4
#define LS_PROTOCOL_MAX     ((guint32) 1 << 28)      /* largest payload */

#define LS_MOST_THREADS     64

typedef enum { LS_MESSAGE_READY = 1, LS_MESSAGE_LAUNCH, LS_MESSAGE_COMPILED, LS_MESSAGE_RAN, LS_MESSAGE_CRASHED } LsMessageKind;

typedef struct { guint32 kind, size, pid, sequence; } LsMessageHead;      /* READY, which answers no request: pid and sequence are 0 */

typedef struct { guint32 version; } LsMessageReady;

/* Memory that has another value in every second call: size bytes (1 to 8) at offset. */
typedef struct { guint64 offset; guint32 size; guint8 value[8], other[8]; } LsTouch;

/* Followed by the buffers' offsets (guint64) and sizes (guint64), the memory that changes between calls (LsTouch), then five strings,
 * each with its NUL: compiler, flags, directory for temporary files, function name, source. */
/* lines: a table of lines is wanted; threads: the function takes a thread's number after the buffers, one call for each; 0: it takes
 * none; only_compiles: it is not called, and no RAN follows */
typedef struct { guint32 n_buffers, repeats, batch, lines, warm_ups, cold, copy, threads, n_touched, only_compiles; } LsMessageLaunch;

/* From offset in the code on it belongs to that line of the source, from 1; 0: to none. Offsets ascend and lie within the code. */
typedef struct { guint32 offset, line; } LsProtocolLine;

/* Followed by the message and the compiler's version (each with NUL), the code and the lines. n_static: bytes of variables that the
 * code keeps between calls. */
typedef struct { guint32 ok, n_message, n_version, n_code, n_lines, n_static; guint64 address, ns; } LsMessageCompiled;

/* Followed by n times (guint64). */
typedef struct { guint32 n; } LsMessageRan;

/* address: of SIGSYS the number of the system call; LS_FOREIGN_CALL is set in those of another machine's convention. */
#define LS_FOREIGN_CALL ((guint64) 1 << 32)
typedef struct { gint32 signal; guint32 has_address; guint64 address; } LsMessageCrashed;
