/* The shared memory. One file for all buffers, because a launch then needs to name offsets only and a new child maps everything with
 * one call, however many small buffers there are. The file grows by ftruncate under a mapping that is already there; a hole
 * costs nothing. Free blocks are kept by offset and joined; the first that fits is taken.
 */
#include "arena-private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "ir/uop.h"

#define SMALL_ALIGN  ((guint64) 64)
#define PAGE         ((guint64) 4096)
#define GROWTH       ((guint64) 1 << 20)
#define MOST_SPACE   ((guint64) 256 << 30)
#define LEAST_SPACE  ((guint64) 16 << 20)
#define HOLE_FROM    (16 * PAGE)      /* from this size on pages go back to the system */

static guint64 round_up (guint64 n, guint64 unit) { return (n + unit - 1) / unit * unit; }
static guint64 room_for (guint64 size)            { return MAX (round_up (size, SMALL_ALIGN), SMALL_ALIGN); }

/* How much address space to reserve for buffers: no more than the machine has memory, for pages of a memfd that the system cannot
 * give are not an error but a kill; and of a limited address space (ulimit -v) a quarter, for all else needs room there as well. */
static guint64
space_to_reserve (void)
{
  guint64 physical = (guint64) sysconf (_SC_PHYS_PAGES) * (guint64) sysconf (_SC_PAGESIZE);
  struct rlimit limit;
  if (getrlimit (RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    physical = MIN (physical, limit.rlim_cur / 4);
  return CLAMP (round_up (physical, GROWTH), LEAST_SPACE, MOST_SPACE);
}

LsArena *
ls_arena_new (GError **error)
{
  LsArena *arena = g_new0 (LsArena, 1);
  arena->free = g_array_new (FALSE, FALSE, sizeof (LsArenaBlock));
  arena->fd = memfd_create ("lazyscope-buffers", MFD_CLOEXEC);
  arena->base = MAP_FAILED;
  if (arena->fd >= 0) {
    arena->reserved = space_to_reserve ();
    do
      arena->base = mmap (NULL, arena->reserved, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, arena->fd, 0);
    while (arena->base == MAP_FAILED && (arena->reserved /= 2) >= LEAST_SPACE);
  }
  if (arena->base == MAP_FAILED) {
    g_set_error (error, LS_ERROR, LS_ERROR_RUN, "no shared memory for buffers: %s", g_strerror (errno));
    ls_arena_free (arena);
    return NULL;
  }
  return arena;
}

void
ls_arena_free (LsArena *arena)
{
  if (arena->base != MAP_FAILED)
    munmap (arena->base, arena->reserved);
  if (arena->fd >= 0)
    close (arena->fd);
  g_array_unref (arena->free);
  g_free (arena);
}

/* Copies the contents of a file into another of the same size; holes stay holes. */
static gboolean
copy_contents (const guint8 *base, int from, int to, guint64 end)
{
  for (off_t at = 0, hole; (guint64) at < end; at = hole) {
    at = lseek (from, at, SEEK_DATA);
    hole = at < 0 ? -1 : lseek (from, at, SEEK_HOLE);
    if (at < 0 || hole < 0)
      return errno == ENXIO;      /* no data from here on */
    for (off_t k = at; k < hole;) {
      gssize n = pwrite (to, base + k, (gsize) (hole - k), k);
      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        return FALSE;
      k += n;
    }
  }
  return TRUE;
}

gboolean
ls_arena_copy (LsArena *arena, GError **error)
{
  int fd = memfd_create ("lazyscope-buffers", MFD_CLOEXEC);
  if (fd < 0 || ftruncate (fd, (off_t) arena->end) != 0 || !copy_contents (arena->base, arena->fd, fd, arena->end) ||
      mmap (arena->base, arena->reserved, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, fd, 0) == MAP_FAILED) {
    g_set_error (error, LS_ERROR, LS_ERROR_RUN, "no memory for a copy of the buffers: %s", g_strerror (errno));
    if (fd >= 0)
      close (fd);
    return FALSE;
  }
  close (arena->fd);
  arena->fd = fd;
  return TRUE;
}

/* A kernel that writes past its buffers may have written here, so memory is cleared when it is handed out. */
static void
clear (LsArena *arena, guint64 offset, guint64 size)
{
  guint64 first = round_up (offset, PAGE), last = (offset + size) / PAGE * PAGE;
  if (size < HOLE_FROM || fallocate (arena->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t) first, (off_t) (last - first)) != 0) {
    memset (arena->base + offset, 0, size);
    return;
  }
  memset (arena->base + offset, 0, first - offset);
  memset (arena->base + last, 0, offset + size - last);
}

static gboolean
grow (LsArena *arena, guint64 by, GError **error)
{
  guint64 end = round_up (arena->end + by, GROWTH);
  if (end > arena->reserved) {
    g_set_error (error, LS_ERROR, LS_ERROR_RUN, "no memory for a buffer of %" G_GUINT64_FORMAT " bytes: the limit "
                                                                                               "for all buffers is %" G_GUINT64_FORMAT
                 " MiB together", by, arena->reserved >> 20);
    return FALSE;
  }
  if (ftruncate (arena->fd, (off_t) end) != 0) {
    g_set_error (error, LS_ERROR, LS_ERROR_RUN, "no shared memory for a buffer of %" G_GUINT64_FORMAT " bytes: %s", by, g_strerror (errno));
    return FALSE;
  }
  guint64 begin = arena->end;
  arena->end = end;
  ls_arena_release (arena, begin, end - begin);
  return TRUE;
}

gboolean
ls_arena_alloc (LsArena *arena, guint64 size, guint64 *offset, GError **error)
{
  if (size > arena->reserved)
    return grow (arena, arena->reserved, error);
  guint64 room = room_for (size), align = size < PAGE ? SMALL_ALIGN : PAGE;
  for (;;) {
    for (guint k = 0; k < arena->free->len; k++) {
      LsArenaBlock block = g_array_index (arena->free, LsArenaBlock, k);
      guint64 begin = round_up (block.offset, align), end = block.offset + block.size;
      if (begin > end || end - begin < room)
        continue;
      LsArenaBlock before = { block.offset, begin - block.offset }, after = { begin + room, end - begin - room };
      g_array_remove_index (arena->free, k);
      if (after.size)
        g_array_insert_val (arena->free, k, after);
      if (before.size)
        g_array_insert_val (arena->free, k, before);
      clear (arena, begin, room);
      *offset = begin;
      return TRUE;
    }
    if (!grow (arena, room + align, error))
      return FALSE;
  }
}

void
ls_arena_release (LsArena *arena, guint64 offset, guint64 size)
{
  LsArenaBlock block = { offset, room_for (size) };
  if (block.size >= HOLE_FROM)      /* gives the pages back */
    clear (arena, block.offset, block.size);

  guint low = 0, high = arena->free->len;
  while (low < high) {
    guint middle = (low + high) / 2;
    if (g_array_index (arena->free, LsArenaBlock, middle).offset < offset)
      low = middle + 1;
    else
      high = middle;
  }
  if (low < arena->free->len) {
    LsArenaBlock *next = &g_array_index (arena->free, LsArenaBlock, low);
    g_assert (block.offset + block.size <= next->offset);
    if (block.offset + block.size == next->offset) {
      block.size += next->size;
      g_array_remove_index (arena->free, low);
    }
  }
  LsArenaBlock *previous = low > 0 ? &g_array_index (arena->free, LsArenaBlock, low - 1) : NULL;
  if (previous && previous->offset + previous->size == block.offset)
    previous->size += block.size;
  else
    g_array_insert_val (arena->free, low, block);
}
