/* Classes of nodes that the user hides in graph and rows. What a step changed is shown whatever its class: who draws sees to that. */
#pragma once
#include "trace/trace.h"

#define X(name, word, title) LS_HIDE_NTH_##name,
enum {
#include "session/node-filter.def"
  LS_N_HIDDEN
};
#undef X
#define X(name, word, title) LS_HIDE_##name = 1 << LS_HIDE_NTH_##name,
typedef enum {
#include "session/node-filter.def"
  LS_HIDE_ALL = LS_HIDE_FRAMES - 1,      /* nodes of all classes */
} LsHidden;
#undef X

/* Its name in actions, and what menus call it, to be translated. */
typedef struct { const char *name, *title; } LsHiddenClass;
extern const LsHiddenClass ls_hidden_classes[LS_N_HIDDEN];

/* The nodes of a graph that belong to one of these classes (LsHidden): their id + 1 -> that one. Free with g_hash_table_unref. Linear. */
GHashTable *ls_node_filter  (const LsGraph *graph, guint classes);
/* The class of a node in such a table, or 0. */
guint       ls_node_hidden  (GHashTable *hidden, guint32 id);
