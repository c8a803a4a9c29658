/* Widgets that compute what they show: the property "busy" is TRUE meanwhile, and notifies of it (g_object_notify). */
#pragma once
#include <gtk/gtk.h>

typedef gboolean (*LsBusy) (gpointer widget);

/* In the class_init of a type whose only property it is. */
void     ls_busy_install (gpointer class, LsBusy busy);
gboolean ls_busy_has     (GtkWidget *widget);      /* the property */
gboolean ls_busy_get     (GtkWidget *widget);      /* FALSE without it */
