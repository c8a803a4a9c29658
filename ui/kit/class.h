/* What the class_init of a final type says in a line each: its signals, what its template binds, and what an object gives back.
 *
 * A type whose objects own something has no dispose and no finalize: its class_init names the members by how they are given back. They are
 * cleared in the order of these lines: in dispose (LS_OWNS, LS_SOURCES, LS_ON_DISPOSE), or in finalize (LS_KEEPS, LS_ON_FINALIZE) if others
 * may still ask for them while they let go of the object. A member that is NULL, or a source's id that is 0, is passed over.
 */
#pragma once
#include <gtk/gtk.h>

typedef struct { const char *name; gsize offset; } LsChild;
typedef struct { const char *name; GCallback function; } LsCallback;
typedef enum { LS_IN_DISPOSE, LS_IN_FINALIZE } LsGivenBack;

/* f (type, name) for each name; what is expanded again and again is enough for 64 of them. */
#define LS_EACH(f, type, ...) LS_EXPAND (LS_EACH_OF (f, type, __VA_ARGS__))
#define LS_EACH_OF(f, type, name, ...) f (type, name) __VA_OPT__ (LS_EACH_AGAIN LS_PARENTHESES (f, type, __VA_ARGS__))
#define LS_EACH_AGAIN() LS_EACH_OF
#define LS_PARENTHESES ()
#define LS_EXPAND(...) LS_EXPAND_16 (LS_EXPAND_16 (LS_EXPAND_16 (LS_EXPAND_16 (__VA_ARGS__))))
#define LS_EXPAND_16(...) LS_EXPAND_4 (LS_EXPAND_4 (LS_EXPAND_4 (LS_EXPAND_4 (__VA_ARGS__))))
#define LS_EXPAND_4(...) LS_EXPAND_1 (LS_EXPAND_1 (LS_EXPAND_1 (LS_EXPAND_1 (__VA_ARGS__))))
#define LS_EXPAND_1(...) __VA_ARGS__

#define LS_OFFSET(type, member) G_STRUCT_OFFSET (type, member),
#define LS_OFFSETS(type, ...) ((const gsize[]) { LS_EACH (LS_OFFSET, type, __VA_ARGS__) 0 })
#define LS_CHILD(type, member) { #member, G_STRUCT_OFFSET (type, member) },
#define LS_CALLBACK(type, function) { #function, G_CALLBACK (function) },

/* The template NAME.ui of the resources, with the members that are its objects of these ids, and the functions that its signals call. What
 * a plain widget has in it fills it, unless the class measures itself. */
#define LS_UI_BINDS(class, type, name, ...) \
  ls_class_template (class, name, (const LsChild[]) { LS_EACH (LS_CHILD, type, __VA_ARGS__) { NULL } })
#define LS_CALLBACKS(class, ...) ls_class_callbacks (class, (const LsCallback[]) { LS_EACH (LS_CALLBACK, , __VA_ARGS__) { NULL } })
/* Types of which the template makes objects, and that nothing else has made known yet. */
#define LS_USES(...) ls_class_uses ((const GType[]) { __VA_ARGS__, 0 })

/* Members of type (the struct of an object) that give_back frees or lets go of. */
#define LS_OWNS(class, type, give_back, ...) \
  ls_class_gives_back (class, LS_IN_DISPOSE, (GDestroyNotify) give_back, LS_OFFSETS (type, __VA_ARGS__))
#define LS_KEEPS(class, type, give_back, ...) \
  ls_class_gives_back (class, LS_IN_FINALIZE, (GDestroyNotify) give_back, LS_OFFSETS (type, __VA_ARGS__))
/* Ids of sources (guint). */
#define LS_SOURCES(class, type, ...) ls_class_gives_back (class, LS_IN_DISPOSE, NULL, LS_OFFSETS (type, __VA_ARGS__))
/* function (object) at this place of the order. */
#define LS_ON_DISPOSE(class, function) ls_class_gives_back (class, LS_IN_DISPOSE, (GDestroyNotify) function, (const gsize[]) { 0 })
#define LS_ON_FINALIZE(class, function) ls_class_gives_back (class, LS_IN_FINALIZE, (GDestroyNotify) function, (const gsize[]) { 0 })

void ls_class_template   (gpointer class, const char *name, const LsChild *children);
void ls_class_callbacks  (gpointer class, const LsCallback *callbacks);
void ls_class_uses       (const GType *types);
/* Offsets end with 0; give_back NULL: they are ids of sources; no offsets: it is called with the object. */
void ls_class_gives_back (gpointer class, LsGivenBack when, GDestroyNotify give_back, const gsize *offsets);
/* A signal that returns nothing, with n types of its arguments. It is emitted by its name. */
void ls_class_signal     (gpointer class, const char *name, guint n, ...);
/* For LS_OWNS: cancels and lets go. */
void ls_cancel           (GCancellable *cancellable);
/* For LS_ON_DISPOSE: a widget's children go. */
void ls_unparent_all     (GtkWidget *widget);
