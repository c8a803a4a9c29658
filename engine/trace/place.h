/* Places: how a person names where in which recording, in one grammar that everything which takes or shows a place reads and writes
 * by this file.
 *
 *   FILE#KERNEL/PASS/STEP~KERNEL/PASS/STEP?node=17
 *
 * What is left out has one meaning everywhere:
 *   FILE         the recording or program; inside one it is left out together with the '#'
 *   K            kernel K (0: the tensor level) as its last pass of rewrites gives it
 *   K/PASS       the pass's output, which is its last step; of a kernel that uses an earlier one's code, that one's where it has none
 *   K/PASS/0     its input
 *   K/PASS/N     after its step N
 *   ~BASE        what it is compared with, a place of the same recording written the same way
 *   ?node=N      a node of its graph, by its id
 *
 * A pass's name may hold a '#' (simplify#2). A file's name may hold anything, so that FILE ends at the last '#' before which a file
 * of that name exists; the whole text is a file's name where there is such a file. Where no file exists, it ends at the first '#'
 * after which all is written as above. A pass's name that holds one of "/~?%", as another tool's recording may, has it as % and two
 * hexadecimal digits. */
#pragma once
#include "diff.h"

/* kernel and step: LS_PLACE_NONE when left out; pass: NULL. There is no step without a pass and no pass without a kernel. */
#define LS_PLACE_NONE G_MAXUINT
typedef struct { guint kernel; char *pass; guint step; } LsPlacePoint;

/* at.kernel is LS_PLACE_NONE where only a file is named, base.kernel where there is nothing to compare with; node may be LS_NO_NODE. */
typedef struct { char *file; LsPlacePoint at, base; guint32 node; } LsPlace;

#define LS_PLACE_INIT { NULL, { LS_PLACE_NONE, NULL, LS_PLACE_NONE }, { LS_PLACE_NONE, NULL, LS_PLACE_NONE }, LS_NO_NODE }

void      ls_place_clear  (LsPlace *place);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LsPlace, ls_place_clear)
gboolean  ls_place_equal  (const LsPlace *a, const LsPlace *b);

/* A place without a file. FALSE with LS_ERROR_USAGE, and out is empty. Else clear out. */
gboolean  ls_place_parse  (const char *text, LsPlace *out, GError **error);
/* One that begins with a file. FALSE with LS_ERROR_USAGE if the text after the '#' is not a place; out then has the file alone. Clear
 * out in any case. */
gboolean  ls_place_parse_link (const char *text, LsPlace *out, GError **error);
/* The text that ls_place_parse and, with a file, ls_place_parse_link read as the same place. Free with g_free. */
char     *ls_place_print  (const LsPlace *place);
/* The file of a link, to be freed with g_free; rest: the text after its '#', or NULL. */
char     *ls_place_split  (const char *link, const char **rest);

/* A place of a file as an address, "lazyscope:/tmp/m.lscope#3/simplify%232/7", which a desktop opens in the viewer. Free with g_free. */
char     *ls_place_uri     (const char *file, const char *place);
/* The link that an address names, to be freed with g_free, or NULL: it is not one of these. */
char     *ls_place_of_uri  (const char *uri);

/* The place of a position and, unless NULL, its base, written out in full, with neither file nor node. Clear it. */
LsPlace   ls_place_of      (const LsPosition *at, const LsPosition *base);
/* The position that a point names. FALSE with LS_ERROR_USAGE that says what there is, when the recording has no such place. */
gboolean  ls_place_resolve (const LsPlacePoint *point, LsTrace *trace, LsPosition *out, GError **error);
/* A position as KERNEL/PASS/STEP. Free with g_free. */
char     *ls_position_print (const LsPosition *position);
