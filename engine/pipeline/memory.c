/* The memory plan of a run.
 *
 * An intermediate buffer lives from the kernel that writes it to the last kernel that reads it. Buffers are placed from the largest
 * to the smallest, each at the lowest offset at which it meets none of those placed already that live at the same time: the usual
 * greedy for this problem (Pisarchyk, Lee, "Efficient Memory Management for Deep Neural Net Inference", 2020, "greedy by size"). The
 * plan is shown; buffers of a run have memory of their own, so that their contents can be looked at afterwards.
 */
#include "memory.h"
#include "trace/row-steps.h"

/* The position of a buffer at this offset among the placed ones, which are in order of offset: after equal ones. */
static guint
place_of (const GPtrArray *placed, gint64 offset)
{
  guint low = 0, high = placed->len;
  while (low < high) {
    guint middle = (low + high) / 2;
    if (((const LsTraceBuffer *) placed->pdata[middle])->offset <= offset)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

gint64
ls_memory_plan (GPtrArray *buffers)
{
  g_autoptr (GPtrArray) todo = g_ptr_array_new (), placed = g_ptr_array_new ();
  gint64 size = 0;
  for (guint i = 0; i < buffers->len; i++) {
    LsTraceBuffer *b = buffers->pdata[i];
    b->offset = -1;
    if (b->dtype != LS_VOID && g_str_equal (b->role, "intermediate"))
      g_ptr_array_add (todo, b);
  }
  g_ptr_array_sort (todo, ls_compare_planned);
  for (guint i = 0; i < todo->len; i++) {
    LsTraceBuffer *b = todo->pdata[i];
    gint64 at = 0, n = ls_planned_bytes (b);
    for (guint k = 0; k < placed->len; k++) {
      const LsTraceBuffer *other = placed->pdata[k];
      if (other->offset >= at + n)      /* and all later ones */
        break;
      gboolean together = other->first_use <= b->last_use && b->first_use <= other->last_use;
      if (together && at < other->offset + ls_planned_bytes (other))
        at = other->offset + ls_planned_bytes (other);
    }
    b->offset = at;
    size = MAX (size, at + n);
    g_ptr_array_insert (placed, (gint) place_of (placed, at), b);
  }
  return size;
}
