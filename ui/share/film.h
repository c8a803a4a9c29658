/* LsFilm: pictures and lists of a series of positions, each stored as its differences from the one before.
 *
 * A box, an arrow, a loop, a row is a record: a JSON array, written once however many frames show it. A frame is five lists of records, and
 * is stored as an edit of the frame before: for each list the places, how many records go there, and which come. Boxes and arrows
 * keep their places from step to step, so that a step of a pass costs some hundred bytes whatever the size of the graph. Texts are
 * numbers of a table of texts.
 *
 * The JSON is written here and not by json-glib, whose node for every number would take twenty times the room of the page.
 */
#pragma once
#include "graph/layout/ranks.h"
#include "graph/layout/scene.h"
#include "trace/diff.h"

typedef struct _LsFilm LsFilm;

LsFilm *ls_film_new  (LsTrace *trace);
void    ls_film_free (LsFilm *film);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsFilm, ls_film_free)

/* The number of a text in the table. NULL is "". */
guint   ls_film_text    (LsFilm *film, const char *text);
/* The frame's boxes and arrows, and the frames of its loops. */
void    ls_film_picture (LsFilm *film, const LsScene *scene, const LsLayout *layout);
/* A way (ls_edge_path_points) as an SVG path in whole units, with its head. */
void    ls_film_way     (GString *out, const GArray *points);
/* Its rows, numbered as the listing has them: those of a difference; or those of a position, which are all of one kind. */
void    ls_film_diff    (LsFilm *film, const LsListDiff *diff);
void    ls_film_rows    (LsFilm *film, const LsPosition *at, const LsGraph *rows, LsDiffKind kind);
/* Ends the frame, with further facts in members: JSON members, each followed by a comma. */
void    ls_film_end     (LsFilm *film, const char *members);
/* Its size so far, in bytes. */
gsize   ls_film_size    (const LsFilm *film);
guint   ls_film_n       (const LsFilm *film);      /* frames that were ended */
/* The nodes that its rows name (guint32), each once. The film's. */
const GArray *ls_film_nodes (const LsFilm *film);
/* "texts": …, "ops": …, "boxes": …, "edges": …, "loops": …, "rows": …, "skips": …, "frames": … */
void    ls_film_write   (LsFilm *film, GString *out);

/* Text as a JSON string that is safe in a page: it has no "<", ">" or "&". Bytes that are not UTF-8 are replaced. */
void    ls_json_quote   (GString *out, const char *text);
