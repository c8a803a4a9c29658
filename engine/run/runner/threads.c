/* A pool of threads, made once and woken for each launch.
 *
 * Each sleeps on a semaphore of its own, so that a launch wakes those that it has work for and no others; the last one to come back
 * wakes the caller. There is no spinning: a machine with fewer processors than threads would run waiting threads instead of the one they
 * wait for. A launch costs some microseconds so, which are its time. A thread that crashes ends the process as any kernel does, one that
 * never comes back keeps the caller until the process is ended.
 */
#include "threads.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>

#include "protocol.h"

#define STACK_BYTES  ((gsize) 8 << 20)      /* tiles are on it */
#define SIGNAL_STACK (64 * 1024)

typedef struct {
  sem_t  go;
  void **arguments;      /* its own copy, its number last */
  int    number;
} Thread;

static struct {
  Thread  of[LS_MOST_THREADS];
  guint   n;                                /* made; number 0 is the caller */
  gboolean full;                            /* no more can be made */
  gint    running;
  sem_t   done;
  void  (*code) (void **arguments);
} pool = { .n = 1 };

void
ls_threads_give_signal_stack (guint number)
{
  static guint8 stacks[LS_MOST_THREADS + 1][SIGNAL_STACK];      /* it costs nothing until it is needed */
  stack_t alternative = { .ss_sp = stacks[number], .ss_size = SIGNAL_STACK };
  sigaltstack (&alternative, NULL);
}

static void
wait_for (sem_t *semaphore)
{
  while (sem_wait (semaphore) < 0 && errno == EINTR)
    ;
}

static void *
run_thread (void *data)
{
  Thread *self = data;
  ls_threads_give_signal_stack ((guint) (self - pool.of));
  for (;;) {
    wait_for (&self->go);
    pool.code (self->arguments);
    if (g_atomic_int_dec_and_test (&pool.running))
      sem_post (&pool.done);
  }
  return NULL;
}

static void
make_threads (guint n)
{
  pthread_attr_t attributes;
  if (n <= pool.n || pool.full)
    return;
  pthread_attr_init (&attributes);
  pthread_attr_setstacksize (&attributes, STACK_BYTES);
  pthread_attr_setdetachstate (&attributes, PTHREAD_CREATE_DETACHED);
  if (pool.n == 1)
    sem_init (&pool.done, 0, 0);
  for (; pool.n < n && !pool.full; pool.n += !pool.full) {
    pthread_t thread;
    sem_init (&pool.of[pool.n].go, 0, 0);
    pool.full = pthread_create (&thread, &attributes, run_thread, &pool.of[pool.n]) != 0;
  }
  pthread_attr_destroy (&attributes);
}

void
ls_threads_call (void (*code) (void **arguments), guint n, void *const *arguments, guint n_threads)
{
  make_threads (n_threads);
  guint n_woken = MIN (n_threads, pool.n);
  for (guint k = 0; k < n_threads; k++) {
    Thread *t = &pool.of[k];
    t->number = (int) k;
    t->arguments = g_renew (void *, t->arguments, n + 1);
    memcpy (t->arguments, arguments, n * sizeof *arguments);
    t->arguments[n] = &t->number;
  }
  pool.code = code;
  g_atomic_int_set (&pool.running, (gint) n_woken - 1);
  for (guint k = 1; k < n_woken; k++)
    sem_post (&pool.of[k].go);
  code (pool.of[0].arguments);
  for (guint k = n_woken; k < n_threads; k++)      /* those for whom there is no thread */
    code (pool.of[k].arguments);
  if (n_woken > 1)
    wait_for (&pool.done);
}
