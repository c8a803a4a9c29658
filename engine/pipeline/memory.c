/* The memory plan of a run.
 *
 * An intermediate buffer lives from the kernel that writes it to the last kernel that reads it. Buffers are placed from the largest
 * to the smallest, each at the lowest offset at which it meets none of those placed already that live at the same time: the usual
 * greedy for this problem (Pisarchyk, Lee, "Efficient Memory Management for Deep Neural Net Inference", 2020, "greedy by size"). A
 * kernel's result may take the place of an input that ends there, where the kernel allows it (trace/in-place.h). The plan is shown;
 * buffers of a run have memory of their own, so that their contents can be looked at afterwards.
 */
#include "memory.h"
#include "trace/in-place.h"
#include "trace/row-steps.h"

#include <string.h>

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

LsMemoryHow
ls_memory_how (const LsTrace *trace)
{
  LsMemoryHow how = { TRUE, FALSE };
  for (guint i = 0; i < trace->settings->len; i++) {      /* the last one counts: a program may change it */
    const char *text = trace->settings->pdata[i];
    if (g_str_has_prefix (text, "MEMORY_PLAN="))
      how.reuse = how.in_place = strcmp (text, "MEMORY_PLAN=0") != 0;
  }
  return how;
}

/* Is one a result of the kernel in which the other ends, so that it may take its place? */
static gboolean
takes_place (LsTrace *trace, const LsTraceBuffer *input, const LsTraceBuffer *result)
{
  const LsKernel *k = input->last_use == result->first_use ? ls_trace_kernel (trace, result->first_use) : NULL;
  gint output = ls_kernel_output_number (k, result->id);
  guint argument = output >= 0 ? ls_argument_of (k, input->id) : 0;
  return argument && ls_in_place (trace, k, (guint) output, argument) == LS_IN_PLACE_NONE;
}

/* Would b at that offset be in the way of the other one? */
static gboolean
collides (LsTrace *trace, const LsTraceBuffer *b, gint64 at, const LsTraceBuffer *other, gboolean in_place)
{
  gboolean together = other->first_use <= b->last_use && b->first_use <= other->last_use,
           overlap = other->offset < at + ls_planned_bytes (b) && at < other->offset + ls_planned_bytes (other);
  return together && overlap && !(in_place && other->offset == at && (takes_place (trace, other, b) || takes_place (trace, b, other)));
}

gint64
ls_memory_plan (LsTrace *trace, GPtrArray *buffers, LsMemoryHow how)
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
    gint64 at = how.reuse ? 0 : size, was = -1;
    while (how.reuse && at != was) {
      was = at;
      for (guint k = 0; k < placed->len; k++) {
        const LsTraceBuffer *other = placed->pdata[k];
        if (other->offset >= at + ls_planned_bytes (b))      /* and all later ones */
          break;
        if (collides (trace, b, at, other, how.in_place))
          at = other->offset + ls_planned_bytes (other);
      }
    }
    b->offset = at;
    size = MAX (size, at + ls_planned_bytes (b));
    g_ptr_array_insert (placed, (gint) place_of (placed, at), b);
  }
  return size;
}

gint64
ls_memory_alive (const GPtrArray *buffers, guint *kernel)
{
  g_autoptr (GArray) change = g_array_new (FALSE, TRUE, sizeof (gint64));      /* of bytes alive, by kernel */
  gint64 most = 0, alive = 0;
  for (guint i = 0; i < buffers->len; i++) {
    const LsTraceBuffer *b = buffers->pdata[i];
    if (b->offset < 0)
      continue;
    if (change->len < b->last_use + 2)
      g_array_set_size (change, b->last_use + 2);
    g_array_index (change, gint64, b->first_use) += ls_planned_bytes (b);
    g_array_index (change, gint64, b->last_use + 1) -= ls_planned_bytes (b);
  }
  *kernel = 0;
  for (guint k = 0; k < change->len; k++) {
    alive += g_array_index (change, gint64, k);
    if (alive > most) {
      most = alive;
      *kernel = k;
    }
  }
  return most;
}
