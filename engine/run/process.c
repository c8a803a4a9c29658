/* Starting, speaking to and ending lazyscope-runner.
 *
 * The process is started with posix_spawn (a fork of a program with threads may only exec, and GTK programs have threads), in a process
 * group of its own, so that killing it takes the compilers it runs along. Every wait has a deadline.
 */
#include "process-private.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ir/uop.h"
#include "run/paths.h"

#define START_LIMIT (20 * G_TIME_SPAN_SECOND)

struct _LsProcess {
  gboolean         llvm;         /* it is lazyscope-runner-llvm */
  pid_t            pid;
  int              socket;
  gboolean         ready;        /* it said which version it is */
  gboolean         reaped, status_known;
  int              status;
  gboolean         crashed;      /* it said so itself */
  LsMessageCrashed crash;
  LsMessageHead    asked;        /* the last request; 0 before the first */
  gboolean         is_mixed;     /* a message came that does not answer it: */
  LsMessageHead    mixed;
};

extern char **environ;

static char *
if_executable (char *path)
{
  if (path && g_file_test (path, G_FILE_TEST_IS_EXECUTABLE) && !g_file_test (path, G_FILE_TEST_IS_DIR))
    return path;
  g_free (path);
  return NULL;
}

char *
ls_process_find_runner (gboolean llvm)
{
  const char *named = g_getenv ("LAZYSCOPE_RUNNER"), *end = llvm ? "-llvm" : "";
  if (named && *named)
    return if_executable (g_strconcat (named, end, NULL));
  g_autofree char *name = g_strconcat ("lazyscope-runner", end, NULL), *from_bin = g_strconcat (LS_RUNNER_FROM_BIN, end, NULL);
  char *found = NULL;
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);
  if (program) {
    g_autofree char *directory = g_path_get_dirname (program);
    found = if_executable (g_build_filename (directory, name, NULL));
    if (found == NULL)      /* an installation that was moved as a whole, or staged */
      found = if_executable (g_build_filename (directory, from_bin, NULL));
  }
  if (found == NULL)
    found = if_executable (g_strconcat (LS_INSTALLED_RUNNER, end, NULL));
  if (found == NULL)
    found = if_executable (g_strconcat (LS_BUILT_RUNNER, end, NULL));
  return found;
}

/* Both ends are moved away from the numbers that they get in the child, so that placing one cannot overwrite the other. */
static gboolean
open_sockets (int ends[2])
{
  int pair[2];
  if (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
    return FALSE;
  ends[0] = fcntl (pair[0], F_DUPFD_CLOEXEC, 16);
  ends[1] = fcntl (pair[1], F_DUPFD_CLOEXEC, 16);
  close (pair[0]);
  close (pair[1]);
  if (ends[0] >= 0 && ends[1] >= 0)
    return TRUE;
  if (ends[0] >= 0)
    close (ends[0]);
  if (ends[1] >= 0)
    close (ends[1]);
  return FALSE;
}

static int
spawn (const char *path, int socket, int memory_fd, guint64 reserved, pid_t *pid)
{
  g_autofree char *size = g_strdup_printf ("%" G_GUINT64_FORMAT, reserved);
  char *argv[] = { (char *) path, size, NULL };
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none, all;
  sigemptyset (&none);
  sigfillset (&all);
  posix_spawn_file_actions_init (&actions);
  posix_spawn_file_actions_addopen (&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen (&actions, 1, "/dev/null", O_WRONLY, 0);      /* standard output belongs to the program's prints */
  posix_spawn_file_actions_adddup2 (&actions, socket, LS_PROTOCOL_SOCKET);
  posix_spawn_file_actions_adddup2 (&actions, memory_fd, LS_PROTOCOL_MEMORY);
  posix_spawnattr_init (&attributes);
  posix_spawnattr_setflags (&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setpgroup (&attributes, 0);
  posix_spawnattr_setsigmask (&attributes, &none);
  posix_spawnattr_setsigdefault (&attributes, &all);
  int failure = posix_spawn (pid, path, &actions, &attributes, argv, environ);
  posix_spawn_file_actions_destroy (&actions);
  posix_spawnattr_destroy (&attributes);
  return failure;
}

LsProcess *
ls_process_new (gboolean llvm, int memory_fd, guint64 reserved, GError **error)
{
  g_autofree char *path = ls_process_find_runner (llvm);
  if (path == NULL) {
    g_set_error (error, LS_ERROR, LS_ERROR_RUN, llvm ? "lazyscope-runner-llvm, which runs LLVM's kernels, is not installed"
                                                     : "lazyscope-runner, which runs compiled kernels, is not installed");
    return NULL;
  }
  int ends[2], memory = fcntl (memory_fd, F_DUPFD_CLOEXEC, 16);
  if (memory < 0 || !open_sockets (ends)) {
    g_set_error (error, LS_ERROR, LS_ERROR_RUN, "no connection to %s: %s", path, g_strerror (errno));
    if (memory >= 0)
      close (memory);
    return NULL;
  }
  pid_t pid = 0;
  int failure = spawn (path, ends[1], memory, reserved, &pid);
  close (ends[1]);
  close (memory);
  if (failure) {
    close (ends[0]);
    g_set_error (error, LS_ERROR, LS_ERROR_RUN, "%s did not start: %s", path, g_strerror (failure));
    return NULL;
  }

  LsProcess *process = g_new0 (LsProcess, 1);
  process->llvm = llvm;
  process->pid = pid;
  process->socket = ends[0];
  return process;
}

gboolean
ls_process_wait_ready (LsProcess *process, GError **error)
{
  if (process->ready)
    return TRUE;
  g_autoptr (GByteArray) ready = NULL;
  LsReply reply = ls_process_receive (process, LS_MESSAGE_READY, g_get_monotonic_time () + START_LIMIT, &ready);
  LsMessageReady message = { 0 };
  if (reply == LS_REPLY_OK && ready->len == sizeof message)
    memcpy (&message, ready->data, sizeof message);
  if (message.version == LS_PROTOCOL_VERSION)
    return process->ready = TRUE;
  g_autofree char *path = ls_process_find_runner (process->llvm), *end = reply == LS_REPLY_GONE ? ls_process_end (process) : NULL;
  g_set_error (error, LS_ERROR, LS_ERROR_RUN, "%s did not start: %s", path ? path : "lazyscope-runner",
               end ? end : reply == LS_REPLY_TIMEOUT ? "it does not answer" : "its version is different");
  return FALSE;
}

/* Takes the exit status. A status that another part of the program took away is not known. */
static gboolean
reap (LsProcess *process, int flags)
{
  pid_t got = 0;
  while (!process->reaped && (got = waitpid (process->pid, &process->status, flags)) < 0 && errno == EINTR)
    ;
  if (!process->reaped && got != 0) {
    process->reaped = TRUE;
    process->status_known = got == process->pid;
  }
  return process->reaped;
}

void
ls_process_free (LsProcess *process)
{
  close (process->socket);
  if (!process->reaped) {
    kill (-process->pid, SIGKILL);
    kill (process->pid, SIGKILL);
    reap (process, 0);
  }
  g_free (process);
}

void
ls_process_leave (LsProcess *process)
{
  close (process->socket);
  g_free (process);
}

gboolean
ls_process_alive (LsProcess *process)
{
  return !reap (process, WNOHANG);
}

static gboolean
send_all (int fd, const void *data, gsize n)
{
  for (const guint8 *at = data; n > 0;) {
    gssize sent = send (fd, at, n, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR)
      continue;
    if (sent <= 0)
      return FALSE;
    at += sent;
    n -= (gsize) sent;
  }
  return TRUE;
}

gboolean
ls_process_send (LsProcess *process, LsMessageKind kind, const GByteArray *payload)
{
  LsMessageHead head = { kind, payload->len, (guint32) getpid (), process->asked.sequence + 1 };
  process->asked = head;
  g_autoptr (GByteArray) message = g_byte_array_sized_new (sizeof head + payload->len);      /* in one piece: each would wake the runner */
  g_byte_array_append (message, (const guint8 *) &head, sizeof head);
  g_byte_array_append (message, payload->data, payload->len);
  return send_all (process->socket, message->data, message->len);
}

static LsReply
receive_all (LsProcess *process, void *data, gsize n, gint64 deadline)
{
  for (guint8 *at = data; n > 0;) {
    gssize got = recv (process->socket, at, n, MSG_DONTWAIT);
    if (got > 0) {
      at += got;
      n -= (gsize) got;
      continue;
    }
    if (got == 0 || (errno != EAGAIN && errno != EINTR))
      return LS_REPLY_GONE;
    gint64 left = deadline - g_get_monotonic_time ();
    if (left <= 0)
      return LS_REPLY_TIMEOUT;
    struct pollfd end = { .fd = process->socket, .events = POLLIN };
    poll (&end, 1, (int) MIN (left / 1000 + 1, G_MAXINT));
  }
  return LS_REPLY_OK;
}

LsReply
ls_process_receive (LsProcess *process, LsMessageKind kind, gint64 deadline, GByteArray **payload)
{
  LsMessageHead head;
  LsReply reply = receive_all (process, &head, sizeof head, deadline);
  if (reply != LS_REPLY_OK)
    return reply;
  if (head.pid != process->asked.pid || head.sequence != process->asked.sequence) {
    process->is_mixed = TRUE;
    process->mixed = head;
    return LS_REPLY_MIXED;
  }
  if (head.size > LS_PROTOCOL_MAX)      /* a kernel wrote to the socket */
    return LS_REPLY_GONE;
  g_autoptr (GByteArray) bytes = g_byte_array_sized_new (head.size);
  g_byte_array_set_size (bytes, head.size);
  reply = receive_all (process, bytes->data, head.size, deadline);
  if (reply != LS_REPLY_OK)
    return reply;
  if (head.kind == LS_MESSAGE_CRASHED && head.size == sizeof process->crash) {
    process->crashed = TRUE;
    memcpy (&process->crash, bytes->data, sizeof process->crash);
  }
  if (head.kind != kind)
    return LS_REPLY_GONE;
  *payload = g_steal_pointer (&bytes);
  return LS_REPLY_OK;
}

/* "openat", or "call 77" of one that is not in the list: those by which code gets at files, other processes and the network. */
static char *
system_call_name (guint64 number)
{
  static const struct { long number; const char *name; } calls[] = {
#define C(name) { SYS_##name, #name }
    C (kill), C (tkill), C (tgkill), C (ptrace), C (process_vm_readv), C (process_vm_writev), C (openat), C (socket), C (connect),
    C (sendto), C (sendmsg), C (recvfrom), C (recvmsg), C (clone), C (execve),
    C (execveat), C (unlinkat), C (mkdirat), C (renameat), C (read), C (write), C (writev), C (close), C (ioctl), C (prctl), C (wait4),
    C (memfd_create),
#ifdef SYS_open      /* of older machines */
    C (open), C (creat), C (fork), C (vfork), C (unlink), C (rename), C (mkdir), C (pipe), C (alarm),
#endif
#undef C
  };
  for (gsize i = 0; i < G_N_ELEMENTS (calls); i++)
    if ((guint64) calls[i].number == number)
      return g_strdup (calls[i].name);
  return g_strdup_printf (number & LS_FOREIGN_CALL ? "call %u of another machine" : "call %u", (guint32) number);
}

#define NO_RIGHT "was killed: it called %s, and kernels may not use files, processes or the network"

char *
ls_process_end (LsProcess *process)
{
  /* It has closed its socket or sent an invalid message: if it does not end by itself, it is killed. */
  for (guint k = 0; k < 100 && !process->is_mixed && !reap (process, WNOHANG); k++)
    g_usleep (2000);
  if (!process->reaped) {
    kill (-process->pid, SIGKILL);
    reap (process, 0);
  }
  if (process->is_mixed)
    return g_strdup_printf ("was sent the reply to request %u of process %u instead of its own, request %u of process %u",
                            process->mixed.sequence, process->mixed.pid, process->asked.sequence, process->asked.pid);
  if (process->crashed) {
    const char *name = sigabbrev_np (process->crash.signal);
    if (process->crash.signal == SIGSYS) {
      g_autofree char *call = system_call_name (process->crash.address);
      return g_strdup_printf (NO_RIGHT, call);
    }
    if (process->crash.has_address)
      return g_strdup_printf ("crashed (SIG%s at address 0x%" G_GINT64_MODIFIER "x)", name ? name : "?", process->crash.address);
    return g_strdup_printf ("crashed (SIG%s)", name ? name : "?");
  }
  if (process->status_known && WIFSIGNALED (process->status)) {
    const char *name = sigabbrev_np (WTERMSIG (process->status));
    if (WTERMSIG (process->status) == SIGSYS)      /* it had blocked the signal that would say which */
      return g_strdup_printf (NO_RIGHT, "a call");
    return g_strdup_printf ("crashed (SIG%s)", name ? name : "?");
  }
  if (process->status_known && WIFEXITED (process->status))
    return g_strdup_printf ("ended the process (exit status %d)", WEXITSTATUS (process->status));
  return g_strdup ("ended the process");
}

gboolean
ls_process_divided (const LsProcess *process)
{
  return process->crashed && (process->crash.signal == SIGFPE || process->crash.signal == SIGILL);
}
