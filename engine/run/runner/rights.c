/* Rights that generated code and kernels by hand run without: filters of system calls (seccomp), which no thread can take off again.
 *
 * Two filters, because the compilers need files and processes and kernels need neither. The first is on the whole process and refuses,
 * with EPERM, calls that no part of it needs. The second is on the thread that calls kernels and on the threads that it starts: a list
 * of allowed calls, and SIGSYS for all others, which is reported with the call's number. A kernel shares its memory with the thread that
 * compiles, so one that overwrites that thread's stack has the rights of the first filter; two processes would prevent it, and each
 * would have to load code that the other compiled.
 *
 * The filters see numbers and not memory. Therefore clone3, whose flags are in memory, "does not exist" and the C library takes clone.
 */
#include "rights.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "protocol.h"

#if defined (__x86_64__)
#define MACHINE AUDIT_ARCH_X86_64
#elif defined (__aarch64__)
#define MACHINE AUDIT_ARCH_AARCH64
#else
#define MACHINE 0
#endif

#define DENIED (SECCOMP_RET_ERRNO | EPERM)
#define ABSENT (SECCOMP_RET_ERRNO | ENOSYS)

/* Calls that are refused to all, whatever their arguments. io_uring carries other calls past a filter. */
static const guint32 denied[] = {
  SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp, SYS_tkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, SYS_socket,
  SYS_socketpair, SYS_bpf, SYS_perf_event_open,
#ifdef SYS_pidfd_open
  SYS_pidfd_open, SYS_pidfd_send_signal, SYS_pidfd_getfd,
#endif
#ifdef SYS_io_uring_setup
  SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register,
#endif
#ifdef SYS_process_madvise
  SYS_process_madvise,
#endif
};

/* Calls that kernels may make, whatever their arguments: memory, waiting, clocks, and calls of the C library itself. */
static const guint32 allowed[] = {
  SYS_futex, SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect, SYS_madvise, SYS_brk, SYS_rt_sigreturn, SYS_rt_sigprocmask, SYS_rt_sigaction,
  SYS_sigaltstack, SYS_set_robust_list, SYS_gettid, SYS_getpid,
  SYS_getppid, SYS_getpgid, SYS_getuid, SYS_sched_yield, SYS_sched_getaffinity, SYS_nanosleep, SYS_clock_nanosleep, SYS_clock_gettime,
  SYS_clock_getres, SYS_gettimeofday, SYS_getrandom, SYS_getrusage, SYS_restart_syscall, SYS_exit, SYS_exit_group,
#ifdef SYS_time
  SYS_time,
#endif
#ifdef SYS_rseq
  SYS_rseq,
#endif
};

/* A program for the filter: statements, and jumps over the next one. */
typedef struct { struct sock_filter of[256]; guint n; } Program;

static void
add (Program *p, guint16 code, guint32 value)
{
  g_assert (p->n < G_N_ELEMENTS (p->of));
  p->of[p->n++] = (struct sock_filter) { .code = code, .k = value };
}

/* The next n statements are for that value of the loaded word. */
static void
when_equal (Program *p, guint32 value, guint8 n)
{
  add (p, BPF_JMP | BPF_JEQ | BPF_K, value);
  p->of[p->n - 1].jf = n;
}

static void load   (Program *p, gsize offset)   { add (p, BPF_LD | BPF_W | BPF_ABS, (guint32) offset); }
static void answer (Program *p, guint32 action) { add (p, BPF_RET | BPF_K, action); }

static void
load_argument (Program *p, guint k)
{
  load (p, offsetof (struct seccomp_data, args) + k * sizeof (guint64) + (G_BYTE_ORDER == G_BIG_ENDIAN ? sizeof (guint32) : 0));
}

/* The call's number is loaded. Calls by the conventions of another machine, such as i386's, have other numbers. */
static void
begin (Program *p, guint32 foreign)
{
  load (p, offsetof (struct seccomp_data, arch));
  add (p, BPF_JMP | BPF_JEQ | BPF_K, MACHINE);
  p->of[p->n - 1].jt = 1;
  answer (p, foreign);
  load (p, offsetof (struct seccomp_data, nr));
#ifdef __x86_64__      /* x32 has the same machine and one more bit in its numbers */
  add (p, BPF_JMP | BPF_JGE | BPF_K, 0x40000000);
  p->of[p->n - 1].jf = 1;
  answer (p, foreign);
#endif
}

static void
add_all (Program *p, const guint32 *calls, gsize n, guint32 action)
{
  for (gsize i = 0; i < n; i++) {
    when_equal (p, calls[i], 1);
    answer (p, action);
  }
}

/* A call that is for one value of its first argument, or of two. In all other cases it is `otherwise`. */
static void
add_first (Program *p, guint32 call, guint32 a, guint32 b, guint32 otherwise)
{
  when_equal (p, call, 6);
  load_argument (p, 0);
  when_equal (p, a, 1);
  answer (p, SECCOMP_RET_ALLOW);
  when_equal (p, b, 1);
  answer (p, SECCOMP_RET_ALLOW);
  answer (p, otherwise);
}

/* Threads, not processes. */
static void
add_clone (Program *p, guint32 otherwise)
{
  const guint32 thread = CLONE_THREAD | CLONE_VM | CLONE_SIGHAND;
  when_equal (p, SYS_clone, 5);
  load_argument (p, 0);
  add (p, BPF_ALU | BPF_AND | BPF_K, thread);
  when_equal (p, thread, 1);
  answer (p, SECCOMP_RET_ALLOW);
  answer (p, otherwise);
#ifdef SYS_clone3
  when_equal (p, SYS_clone3, 1);
  answer (p, ABSENT);
#endif
}

/* By default a filter switches off speculation, which makes code slow, also that of kernels. */
static gboolean
install (const Program *p)
{
  const struct sock_fprog program = { (unsigned short) p->n, (struct sock_filter *) p->of };
  return syscall (SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program) == 0 ||
         syscall (SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

gboolean
ls_rights_is_foreign (guint machine)
{
  return machine != MACHINE;
}

gboolean
ls_rights_limit_process (void)
{
  Program p = { .n = 0 };
  guint32 self = (guint32) getpid ();
  begin (&p, DENIED);
  add_all (&p, denied, G_N_ELEMENTS (denied), DENIED);
  add_first (&p, SYS_kill, 0, self, DENIED);      /* 0: its own group, by which it ends with the compilers that it started */
  add_first (&p, SYS_tgkill, self, self, DENIED);
  answer (&p, SECCOMP_RET_ALLOW);
  return MACHINE != 0 && prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && install (&p);
}

gboolean
ls_rights_limit_thread (void)
{
  Program p = { .n = 0 };
  guint32 self = (guint32) getpid ();
  begin (&p, SECCOMP_RET_TRAP);
  add_all (&p, allowed, G_N_ELEMENTS (allowed), SECCOMP_RET_ALLOW);
  add_first (&p, SYS_sendto, LS_PROTOCOL_SOCKET, LS_PROTOCOL_SOCKET, SECCOMP_RET_TRAP);
  add_first (&p, SYS_recvfrom, LS_PROTOCOL_SOCKET, LS_PROTOCOL_SOCKET, SECCOMP_RET_TRAP);
  add_first (&p, SYS_write, STDERR_FILENO, STDERR_FILENO, SECCOMP_RET_TRAP);
  add_first (&p, SYS_writev, STDERR_FILENO, STDERR_FILENO, SECCOMP_RET_TRAP);
  add_first (&p, SYS_tgkill, self, self, SECCOMP_RET_TRAP);      /* abort() */
  add_clone (&p, SECCOMP_RET_TRAP);
  answer (&p, SECCOMP_RET_TRAP);
  return MACHINE != 0 && install (&p);
}
