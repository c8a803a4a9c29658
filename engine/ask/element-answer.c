/* The answer to which elements an element was computed from: in words, and its fields. See element-origins.c. */
#include "ask.h"

#include "ir/sentence.h"

const char *const ls_element_sources[] = { "kernel", "data", "constant", "unknown", NULL };

char *
ls_element_name_shown (const LsElementOrigin *w)
{
  if (w->buffer < 0)
    return g_strdup ("");
  g_autofree char *buffer = ls_sentence ("buffer %u", (guint) w->buffer), *text = ls_sentence_shown (buffer);
  return g_strdup_printf (*w->at ? "%s[%s]" : "%s%s", w->name ? w->name : text, w->at);
}

char *
ls_element_source_shown (const LsElementOrigin *w)
{
  g_autofree char *text = NULL;
  switch (w->from) {
  case LS_ELEMENT_OF_KERNEL:
    text = w->line ? ls_sentence ("kernel %u, line %u", w->kernel, w->line) : ls_sentence ("kernel %u", w->kernel);
    break;
  case LS_ELEMENT_OF_DATA:
    text = w->line ? ls_sentence ("data, line %u", w->line) : ls_sentence ("data of the program");
    break;
  case LS_ELEMENT_OF_CONSTANT:
    text = w->line ? ls_sentence ("constant, line %u", w->line) : ls_sentence ("constant");
    break;
  default: text = ls_sentence ("not recorded");
  }
  return ls_sentence_shown (text);
}

#define ORIGIN(X) \
  X (shown, OWNED, ls_element_name_shown (w), TRUE, "The element as text has it", .title = "element", .width = -24, .only_text = TRUE, \
     .column = LS_TITLE ("Element"), .place = 1) \
  X (value, TEXT, w->value, TRUE, "Its value when the kernel read it; null if it is not known", .title = "value", .width = 24, \
     .column = LS_TITLE ("Value"), .place = 2) \
  X (uses, INT, w->uses, TRUE, "How often it is used in the expression of the element, in all iterations of its reduces", \
     .title = "uses", .width = 6, .column = LS_TITLE ("Uses"), .place = 4) \
  X (source, OWNED, ls_element_source_shown (w), TRUE, "Where it is from, as text has it", .title = "from", .width = -1, \
     .only_text = TRUE, .column = LS_TITLE ("From"), .place = 3, .fills = TRUE) \
  X (from, NAME, w->from, TRUE, "Where it is from: kernel (it wrote the element), data (of the program), constant (in the kernel), or " \
     "unknown", .names = ls_element_sources) \
  X (buffer, INT, w->buffer, w->buffer >= 0, "The buffer that holds it") \
  X (name, TEXT, w->name, w->buffer >= 0, "The name that the program bound to that tensor, or null") \
  X (at, TEXT, w->at, w->buffer >= 0, "Its indices in the tensor, \"1,2\"") \
  X (element, INT, w->element, w->buffer >= 0, "Its number in the buffer") \
  X (kernel, INT, w->kernel, w->kernel > 0, "The kernel that wrote it") \
  X (line, INT, w->line, w->line > 0, "The line of the program: of the kernel's result, of the data or of the constant") \
  X (node, NODE, w->node, w->node != LS_NO_NODE, "The constant")
LS_RECORD (ls_element_origin_answer, ORIGIN, const LsElementOrigin *w = row;)

#define ORIGINS(X) \
  X (kernel, INT, o->of.kernel, TRUE, "The kernel that computed the element") \
  X (line, INT, o->of.line, o->of.line > 0, "The line of the program that its result is from") \
  X (buffer, INT, o->of.buffer, o->of.buffer >= 0, "The buffer that the kernel wrote") \
  X (name, TEXT, o->of.name, TRUE, "The name that the program bound to that tensor, or null") \
  X (dtype, DTYPE, o->dtype, TRUE, "Its dtype") \
  X (shape, TEXT, o->shape, TRUE, "Its shape") \
  X (element, INT, o->of.element, TRUE, "The number of the element") \
  X (at, TEXT, o->of.at, TRUE, "Its indices, \"1,2\"") \
  X (value, TEXT, o->of.value, TRUE, "Its value, or null if it is not known") \
  X (n, INT, o->n, TRUE, "Number of elements and constants that it was computed from") \
  X (notes, TEXT, o->notes, TRUE, "Notes on recomputed inputs and on differences from the recorded result, or null") \
  X (origins, LIST, ls_list_array (o->origins), TRUE, "The elements and constants that it was computed from, at most 4096", \
     .of = &ls_element_origin_answer, .lines = TRUE)
LS_RECORD (ls_element_origins_answer, ORIGINS, const LsElementOrigins *o = row;)
