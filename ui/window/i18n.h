/* Translation of the window's texts. */
#pragma once

#define GETTEXT_PACKAGE "lazyscope"      /* the catalogues' name */

/* To be called before anything else, the options included. */
void ls_i18n_init (void);
