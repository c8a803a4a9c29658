/* lazyscope-cli in which the system fails, for failing.py: LS_FAIL=WHAT:N fails each N-th call, LS_FAIL=WHAT:N+ each from the N-th on;
 * without it everything is as it should be.
 *   memory   an allocation of LS_FAIL_BYTES (1 MB) or more     ENOMEM
 *   mmap     a mapping that the program asks for itself         ENOMEM
 *   write    writing to a file, or making it longer             ENOSPC
 *   fork     a new process                                      EAGAIN
 *   connect  a socket, or sending to one                        ECONNREFUSED, EPIPE
 *
 * These functions stand before libc's for all libraries of the process (GLib, SQLite, Python), not only for the engine as with the
 * linker's --wrap: that is how a symbol of an executable is found first.
 * What libc calls inside itself, as for stdio and stacks of threads, never fails here. The counts are copied by fork. Nothing here may
 * allocate.
 * Nothing fails before the constructors of the libraries have run: a process that could not be loaded has no supervisor yet.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static struct { int armed, from, count; unsigned long n, bytes; char what[16]; } fault;

__attribute__ ((constructor)) static void
read_fault (void)
{
  const char *text = getenv ("LS_FAIL"), *bytes = getenv ("LS_FAIL_BYTES"), *colon = text ? strchr (text, ':') : NULL;
  char *end;
  fault.armed = 1;
  fault.bytes = bytes ? strtoul (bytes, NULL, 10) : 1 << 20;
  if (!colon || (size_t) (colon - text) >= sizeof fault.what)
    return;
  memcpy (fault.what, text, (size_t) (colon - text));
  fault.n = strtoul (colon + 1, &end, 10);
  fault.from = *end == '+';
}

/* Does this call fail, with that errno? */
static int
fails (const char *what, int error)
{
  if (!fault.armed || fault.n == 0 || strcmp (fault.what, what) != 0)
    return 0;
  unsigned long count = (unsigned long) __atomic_add_fetch (&fault.count, 1, __ATOMIC_RELAXED);
  if (fault.from ? count < fault.n : count % fault.n != 0)
    return 0;
  errno = error;
  return 1;
}

#define REAL(name) \
  static __typeof__ (name) *real; \
  if (!real) \
    *(void **) &real = dlsym (RTLD_NEXT, #name)

/* --- memory --- */

void *__libc_malloc (size_t size);
void *__libc_calloc (size_t n, size_t size);
void *__libc_realloc (void *old, size_t size);

static int
no_memory (size_t size)
{
  return size >= fault.bytes && fails ("memory", ENOMEM);
}

void *
malloc (size_t size)
{
  return no_memory (size) ? NULL : __libc_malloc (size);
}

void *
calloc (size_t n, size_t size)
{
  size_t all;
  return !__builtin_mul_overflow (n, size, &all) && no_memory (all) ? NULL : __libc_calloc (n, size);
}

void *
realloc (void *old, size_t size)
{
  return no_memory (size) ? NULL : __libc_realloc (old, size);
}

#define MMAP(name) \
  void * \
  name (void *at, size_t size, int prot, int flags, int fd, off_t offset) \
  { \
    REAL (name); \
    return fails ("mmap", ENOMEM) ? MAP_FAILED : real (at, size, prot, flags, fd, offset); \
  }
#undef mmap
#undef mmap64
MMAP (mmap)
MMAP (mmap64)

/* --- files: a pipe, the terminal and shared memory (a file without a name) are on no disk --- */

/* end: the size that the file is to have; one that does not grow needs no room. */
static int
disk_is_full (int fd, off64_t end)
{
  struct stat st;
  int before = errno;
  if (!fault.armed || fault.n == 0 || strcmp (fault.what, "write") != 0)
    return 0;
  if (fstat (fd, &st) != 0 || !S_ISREG (st.st_mode) || st.st_nlink == 0 || st.st_size >= end) {
    errno = before;
    return 0;
  }
  return fails ("write", ENOSPC);
}

#define ANY INT64_MAX
#define FILE_CALL(type, name, end, arguments, ...) \
  type name arguments { REAL (name); return disk_is_full (fd, end) ? (type) -1 : real (__VA_ARGS__); }
FILE_CALL (ssize_t, write, ANY, (int fd, const void *data, size_t n), fd, data, n)
FILE_CALL (ssize_t, pwrite, ANY, (int fd, const void *data, size_t n, off_t at), fd, data, n, at)
FILE_CALL (ssize_t, pwrite64, ANY, (int fd, const void *data, size_t n, off64_t at), fd, data, n, at)
FILE_CALL (ssize_t, writev, ANY, (int fd, const struct iovec *parts, int n), fd, parts, n)
FILE_CALL (int, ftruncate, size, (int fd, off_t size), fd, size)
FILE_CALL (int, ftruncate64, size, (int fd, off64_t size), fd, size)

/* --- processes and sockets --- */

pid_t
fork (void)
{
  REAL (fork);
  return fails ("fork", EAGAIN) ? -1 : real ();
}

int
posix_spawn (pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
             char *const *argv, char *const *envp)
{
  REAL (posix_spawn);
  return fails ("fork", EAGAIN) ? EAGAIN : real (pid, path, actions, attributes, argv, envp);
}

int
connect (int fd, const struct sockaddr *to, socklen_t n)
{
  REAL (connect);
  return fails ("connect", ECONNREFUSED) ? -1 : real (fd, to, n);
}

int
socketpair (int domain, int type, int protocol, int ends[2])
{
  REAL (socketpair);
  return fails ("connect", EMFILE) ? -1 : real (domain, type, protocol, ends);
}

ssize_t
send (int fd, const void *data, size_t n, int flags)
{
  REAL (send);
  return fails ("connect", EPIPE) ? -1 : real (fd, data, n, flags);
}

ssize_t
sendmsg (int fd, const struct msghdr *message, int flags)
{
  REAL (sendmsg);
  return fails ("connect", EPIPE) ? -1 : real (fd, message, flags);
}
