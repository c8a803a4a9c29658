/* Pages that are whole in one file: no network, no other file, and nothing that a recording holds is run.
 *
 * A page's only script is page.js, or comparison.js. Its Content-Security-Policy names the hashes of that script and of the style, and
 * forbids everything else: another script, an address, a form. Data from a recording is escaped in text, and is written without "<" in
 * the block of JSON that the script reads.
 */
#pragma once
#include "film.h"

/* A page with a text of HTML. script: one of this folder's; data: an object of JSON for it; "words" is added. Free with g_free. */
char *ls_page_new  (const char *title, const char *body, const char *script, const char *data);
/* The page of a pass, opened at a step with a node chosen (LS_NO_NODE: none). base: what its steps are compared with, or NULL for
 * each one's own change. most_boxes: how many boxes all steps together may show (LS_PAGE_BOXES), each of which is laid out, written and
 * compared; where they would be more, the page has the steps around that one and a note on the others. NULL with LS_ERROR_FILE for a
 * pass without a graph, and for one whose page would be larger than LS_PAGE_MOST bytes. */
#define LS_PAGE_MOST  (64u << 20)
#define LS_PAGE_BOXES 5000000
char *ls_page_pass (LsTrace *trace, const LsPass *pass, guint step, const LsPosition *base, guint32 node, guint most_boxes, GError **error);
/* The page of the program's statements and their effects, of the first most_stops (LS_PAGE_STOPS) and as many as have room on a page; a
 * note says how many are left out. NULL with LS_ERROR_FILE where no statement was recorded. */
#define LS_PAGE_STOPS 1000
char *ls_page_walk (LsTrace *trace, guint most_stops, GError **error);

/* Text escaped for HTML, between two pieces that are not. */
void  ls_page_text (GString *out, const char *before, const char *text, const char *after);

/* --- inside --- */

/* A file of this folder, with a NUL after its end. */
GBytes *ls_page_resource (const char *name);

/* The window's colours as variables of a style: "--ground:#ffffff;…". */
void    ls_page_hues     (GString *out, gboolean dark);
/* The colours of boxes by the class of their op, and of loops by the type of their axis. */
void    ls_page_class_rules (GString *out);

/* A page with a film: what it is of, its words for who has no scripts, and the picture that it opens with. members: JSON, each
 * followed by a comma. */
typedef struct {
  const char     *kind, *title, *place, *sentence;
  const char     *note;        /* on what is left out, or NULL */
  guint           start;       /* the frame that it opens with */
  const LsTrace  *trace;
  const LsScene  *scene;       /* NULL: there is no picture */
  const LsLayout *layout;
  GString        *members;
} LsFilmPage;
char *ls_page_film (LsFilm *film, const LsFilmPage *page);
/* "program": name and lines, and its output. */
void  ls_page_add_program (GString *members, const LsTrace *trace);
/* The form of a path on a page: the file's name. Free with g_free. */
char *ls_page_file_name (const char *path);
/* FALSE with an error when the film is too large for a page. */
gboolean ls_page_check_size (const LsFilm *film, const char *what, GError **error);
