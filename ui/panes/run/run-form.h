/* LsRunForm: what a program is run with. Signal "run": the options are to be used (ls_run_form_dup_options). */
#pragma once
#include <adwaita.h>
#include "session/run-options.h"
#include "session/session.h"

#define LS_TYPE_RUN_FORM (ls_run_form_get_type ())
G_DECLARE_FINAL_TYPE (LsRunForm, ls_run_form, LS, RUN_FORM, AdwWindow)

LsRunForm    *ls_run_form_new (GtkWindow *parent, LsViewSession *session);
/* Shows the options of the last run, of a program of that name; what is changed from then on is marked. */
void          ls_run_form_set (LsRunForm *self, const LsRunOptions *options, const char *program);
/* The chosen options. Free with ls_run_options_free. */
LsRunOptions *ls_run_form_dup_options (LsRunForm *self);
/* Adds word, "k2:c=", with a C file's path to the options of kernels. begin: the file is written first, with the C of the kernel that
 * is shown. */
void          ls_run_form_take_c_file (LsRunForm *self, const char *word, const char *path, gboolean begin);
