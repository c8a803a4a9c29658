/* The renderer of C-like languages, and the table that such a target is for each profile: dialect.def has its fields, each with a
 * sentence. */
#pragma once
#include "render.h"

typedef struct {
#define LS_FIELD_TEXT(name)  const char *name;
#define LS_FIELD_FLAG(name)  gboolean name;
#define LS_FIELD_TYPES(name) const char *name[LS_N_BASES];
#define LS_FIELD_TRUTH(name) const char *name[2];
#define X(kind, name, group, sentence) LS_FIELD_##kind (name)
#include "dialect.def"
#undef X
} LsDialect;

/* The fields by number. */
enum {
#define X(kind, name, group, sentence) LS_SAYS_##name,
#include "dialect.def"
#undef X
  LS_N_SAYS
};
G_STATIC_ASSERT (LS_N_SAYS <= 64);      /* a row keeps which it asked as bits */

/* Targets with this renderer have an LsDialect for each profile. */
extern const LsRenderer ls_renderer_c_style;
