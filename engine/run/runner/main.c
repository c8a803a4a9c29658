/* lazyscope-runner: the process that generated code runs in, so that a crash, an endless loop or an exit stays in it.
 *
 * The engine starts it with a socket and the shared memory as descriptors; it compiles the source that it receives, calls the code, and
 * reports the result. It holds no state that matters: code is cached, buffers are the caller's. A kernel that misbehaves ends this
 * process and the caller starts another; therefore this code does not try to continue after a signal. The main thread calls kernels and
 * has no more rights than they (rights.h); another one compiles (find-code.h).
 *
 * When the caller is gone a second thread ends this process, even while a kernel spins. (The kernel's death signal for
 * children would not do: it is bound to the thread that started the child, and callers start it from pools.)
 */
#include <errno.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "find-code.h"
#include "../../ir/clock.h"
#include "protocol.h"
#include "rights.h"
#include "threads.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

#define MAX_CODE     ((gsize) 1 << 20)
#define OWN_MEMORY   ((rlim_t) 64 << 30)      /* address space besides the shared memory */

static guint8       *memory;
static char         *directory;      /* for temporary files, once one was named */
static LsMessageHead asked;          /* the request that is being answered */

static gboolean
send_all (const void *data, gsize n)
{
  for (const guint8 *at = data; n > 0;) {
    gssize sent = send (LS_PROTOCOL_SOCKET, at, n, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR)
      continue;
    if (sent <= 0)
      return FALSE;
    at += sent;
    n -= (gsize) sent;
  }
  return TRUE;
}

static gboolean
receive_all (void *data, gsize n)
{
  for (guint8 *at = data; n > 0;) {
    gssize got = recv (LS_PROTOCOL_SOCKET, at, n, 0);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return FALSE;
    at += got;
    n -= (gsize) got;
  }
  return TRUE;
}

typedef struct { const void *data; gsize n; } Part;

static void
send_message (LsMessageKind kind, const void *fixed, gsize n_fixed, const Part *rest, guint n_rest)
{
  LsMessageHead head = { kind, (guint32) n_fixed, asked.pid, asked.sequence };
  for (guint k = 0; k < n_rest; k++)
    head.size += (guint32) rest[k].n;
  g_autoptr (GByteArray) message = g_byte_array_sized_new (sizeof head + head.size);      /* in one piece: each would wake the caller */
  g_byte_array_append (message, (const guint8 *) &head, sizeof head);
  g_byte_array_append (message, fixed, (guint) n_fixed);
  for (guint k = 0; k < n_rest; k++)
    g_byte_array_append (message, rest[k].data, (guint) rest[k].n);
  if (!send_all (message->data, message->len))
    exit (EXIT_FAILURE);
}

/* Ends the process without going through anything a kernel may have broken. */
static void
on_crash (int number, siginfo_t *info, void *context)
{
  struct { LsMessageHead head; LsMessageCrashed crashed; } message = {
    { LS_MESSAGE_CRASHED, sizeof (LsMessageCrashed), asked.pid, asked.sequence },
    { number, number == SIGSEGV || number == SIGBUS, (guint64) (guintptr) info->si_addr },
  };
  if (number == SIGSEGV && info->si_code == SI_KERNEL)      /* a non-canonical address: the machine does not say which */
    message.crashed.has_address = 0;
  if (number == SIGSYS)
    message.crashed.address = (guint64) (guint32) info->si_syscall | (ls_rights_is_foreign (info->si_arch) ? LS_FOREIGN_CALL : 0);
  send (LS_PROTOCOL_SOCKET, &message, sizeof message, MSG_NOSIGNAL);
  _exit (128 + number);
}

static void
catch_crashes (void)
{
  static const int numbers[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS };
  ls_threads_give_signal_stack (0);
  struct sigaction action = { .sa_sigaction = on_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK };
  sigemptyset (&action.sa_mask);
  for (guint k = 0; k < G_N_ELEMENTS (numbers); k++)
    sigaction (numbers[k], &action, NULL);
}

static void *
watch_caller (void *unused)
{
  struct pollfd socket_end = { .fd = LS_PROTOCOL_SOCKET };
  while (poll (&socket_end, 1, -1) < 0 || !(socket_end.revents & (POLLHUP | POLLERR | POLLNVAL)))
    ;
  char *path = g_atomic_pointer_get (&directory);
  if (path) {
    GDir *dir = g_dir_open (path, 0, NULL);
    for (const char *name; dir && (name = g_dir_read_name (dir));) {
      g_autofree char *file = g_build_filename (path, name, NULL);
      g_unlink (file);
    }
    g_rmdir (path);
  }
  kill (0, SIGKILL);      /* the compilers it started, too */
  return NULL;
}

/* Drives the buffers out of the caches: line by line if the machine has an instruction for it, else by reading other memory. */
static void
cool (guint n, void *const *buffers, const guint64 *sizes)
{
#ifdef __x86_64__
  for (guint k = 0; k < n; k++)
    for (guint64 at = 0; at < sizes[k]; at += 64)
      __builtin_ia32_clflush ((const guint8 *) buffers[k] + at);
  __builtin_ia32_mfence ();
#else
  static guint8 *other;
  const gsize n_other = (gsize) 64 << 20;      /* more than the caches hold */
  if (!other)
    other = g_malloc0 (n_other);
  for (gsize at = 0; at < n_other; at += 64)
    ((volatile guint8 *) other)[at]++;
#endif
}

static void
call_code (const LsCode *code, const LsMessageLaunch *launch, void **buffers)
{
  if (launch->threads > 0)
    ls_threads_call (code->call, launch->n_buffers, buffers, launch->threads);
  else
    code->call (buffers);
}

/* Calls it n times. Changing memory has its own value in the last call. */
static void
call_times (const LsCode *code, const LsMessageLaunch *launch, const LsTouch *touched, void **buffers, guint n)
{
  for (guint k = 0; k < n; k++) {
    for (guint i = 0; i < launch->n_touched; i++)
      memcpy (memory + touched[i].offset, (n - 1 - k) % 2 ? touched[i].other : touched[i].value, touched[i].size);
    call_code (code, launch, buffers);
  }
}

static void
run_code (const LsCode *code, const LsMessageLaunch *launch, const guint64 *offsets, const guint64 *sizes, const LsTouch *touched)
{
  g_autofree void **buffers = g_new (void *, launch->n_buffers + 1);
  g_autofree guint64 *times = g_new (guint64, launch->repeats);
  for (guint k = 0; k < launch->n_buffers; k++) {
    buffers[k] = memory + offsets[k];
    guint8 *page = (guint8 *) ((guintptr) buffers[k] & ~(guintptr) 4095);
    if (sizes[k] >= 16 * 4096)      /* page faults are not the kernel's time */
      madvise (page, (gsize) ((guint8 *) buffers[k] + sizes[k] - page), MADV_POPULATE_WRITE);
  }
  call_times (code, launch, touched, buffers, launch->warm_ups);
  for (guint k = 0; k < launch->repeats; k++) {
    if (launch->cold)
      cool (launch->n_buffers, buffers, sizes);
    guint64 begin = ls_now_ns ();
    call_times (code, launch, touched, buffers, launch->batch);
    times[k] = ls_now_ns () - begin;
  }
  LsMessageRan ran = { launch->repeats };
  send_message (LS_MESSAGE_RAN, &ran, sizeof ran, &(Part) { times, launch->repeats * sizeof *times }, 1);
}

static void
send_compiled (const LsCodeAnswer *answer)
{
  const LsCode *code = answer->code;
  LsMessageCompiled compiled = { .ok = code != NULL, .n_message = (guint32) strlen (answer->message) + 1,
                                 .n_version = (guint32) strlen (answer->version) + 1, .ns = answer->ns };
  if (code && code->function) {
    compiled.n_code = (guint32) MIN (code->n_function, MAX_CODE);
    compiled.address = code->address;
    compiled.n_static = (guint32) MIN (code->n_static, G_MAXUINT32);
    if (code->n_function <= MAX_CODE && code->lines)      /* the table is of whole code or not there */
      compiled.n_lines = code->lines->len;
  }
  const Part rest[] = { { answer->message, compiled.n_message }, { answer->version, compiled.n_version },
                        { code ? code->function : NULL, compiled.n_code },
                        { compiled.n_lines ? code->lines->data : NULL, compiled.n_lines * sizeof (LsProtocolLine) } };
  send_message (LS_MESSAGE_COMPILED, &compiled, sizeof compiled, rest, G_N_ELEMENTS (rest));
}

static void
handle_launch (const guint8 *payload, gsize size)
{
  LsMessageLaunch launch;
  if (size < sizeof launch + 1 || payload[size - 1] != '\0')
    exit (EXIT_FAILURE);
  memcpy (&launch, payload, sizeof launch);
  if (launch.threads > LS_MOST_THREADS)
    exit (EXIT_FAILURE);
  gsize n_offsets = launch.n_buffers * sizeof (guint64), n_touched = launch.n_touched * sizeof (LsTouch);
  if (2 * n_offsets + n_touched + sizeof launch >= size)
    exit (EXIT_FAILURE);
  g_autofree guint64 *offsets = g_memdup2 (payload + sizeof launch, n_offsets);
  g_autofree guint64 *sizes = g_memdup2 (payload + sizeof launch + n_offsets, n_offsets);
  g_autofree LsTouch *touched = g_memdup2 (payload + sizeof launch + 2 * n_offsets, n_touched);
  for (guint k = 0; k < launch.n_touched; k++)
    if (touched[k].size > sizeof touched[k].value)
      exit (EXIT_FAILURE);
  const char *strings[5], *at = (const char *) payload + sizeof launch + 2 * n_offsets + n_touched, *end = (const char *) payload + size;
  for (guint k = 0; k < G_N_ELEMENTS (strings); k++) {
    if (at >= end)
      exit (EXIT_FAILURE);
    strings[k] = at;
    at += strlen (at) + 1;
  }
  if (directory == NULL && *strings[2])
    g_atomic_pointer_set (&directory, g_strdup (strings[2]));

  const LsCodeRequest request = { strings[0], strings[1], directory, strings[3], strings[4],
                                  launch.n_buffers + (launch.threads > 0), launch.copy, launch.lines != 0 };
  const LsCodeAnswer answer = ls_find_code (&request);
  send_compiled (&answer);
  g_free (answer.message);
  if (answer.code && !launch.only_compiles)
    run_code (answer.code, &launch, offsets, sizes, touched);
}

static void
limit_resources (guint64 reserved)
{
  struct rlimit none = { 0, 0 };
  setrlimit (RLIMIT_CORE, &none);
#ifndef __SANITIZE_ADDRESS__      /* which maps terabytes of its own */
  struct rlimit space = { reserved + OWN_MEMORY, reserved + OWN_MEMORY };
  setrlimit (RLIMIT_AS, &space);
#endif
}

/* On a system without such limits, programs of users who trust their own kernels still run. */
static gboolean
limit_rights (gboolean (*limit) (void))
{
#ifdef __SANITIZE_ADDRESS__      /* which looks for leaks with ptrace, and opens files */
  return FALSE;
#endif
  if (limit ())
    return TRUE;
  g_printerr ("lazyscope-runner: warning: kernels run with all rights of the user, because this system has no seccomp filters: %s\n",
              g_strerror (errno));
  return FALSE;
}

int
main (int argc, char **argv)
{
  guint64 reserved = 0;
  if (argc != 2 || !g_ascii_string_to_unsigned (argv[1], 10, 4096, (guint64) 1 << 46, &reserved, NULL)) {
    g_printerr ("lazyscope-runner runs compiled kernels for lazyscope and lazyscope-cli, which start it.\n");
    return 2;
  }
  setpgid (0, 0);
  mallopt (M_ARENA_MAX, 1);      /* to choose between several the C library opens a file, from whichever thread */
  memory = mmap (NULL, reserved, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, LS_PROTOCOL_MEMORY, 0);
  if (memory == MAP_FAILED) {
    g_printerr ("lazyscope-runner: no space for the shared memory: %s\n", g_strerror (errno));
    return EXIT_FAILURE;
  }
  close (LS_PROTOCOL_MEMORY);
  limit_resources (reserved);
  catch_crashes ();
  gboolean limited = limit_rights (ls_rights_limit_process);

  sigset_t all, before;
  sigfillset (&all);
  pthread_sigmask (SIG_BLOCK, &all, &before);
  pthread_t watcher;
  if (pthread_create (&watcher, NULL, watch_caller, NULL) != 0)
    return EXIT_FAILURE;
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  if (!ls_find_code_start ())
    return EXIT_FAILURE;
  if (limited)
    limit_rights (ls_rights_limit_thread);

  LsMessageReady ready = { LS_PROTOCOL_VERSION };
  send_message (LS_MESSAGE_READY, &ready, sizeof ready, NULL, 0);
  while (receive_all (&asked, sizeof asked)) {
    if (asked.kind != LS_MESSAGE_LAUNCH || asked.size > LS_PROTOCOL_MAX)
      return EXIT_FAILURE;
    gsize size = asked.size;
    g_autofree guint8 *payload = g_malloc (size + 1);
    if (!receive_all (payload, size))
      break;
    handle_launch (payload, size);
  }
  return EXIT_SUCCESS;
}
