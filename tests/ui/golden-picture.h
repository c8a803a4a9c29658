/* Golden pictures: a drawing against a PNG next to the test.
 *
 * Two pictures are alike when they look alike. A pixel is matched when the other picture has one of nearly its colour there or next
 * to it, so that text of another antialiasing, or one pixel off, passes. Where a tile of 16 by 16 has too many pixels without a
 * match, or another colour as a whole, or where the whole has too many, the pictures differ: something is missing, moved or of
 * another colour. */
#pragma once
#include <gdk/gdk.h>

/* Why pictures of the window cannot be compared here (other versions, other fonts, a sanitizer), or NULL. */
const char *golden_picture_obstacle (void);
/* NULL when they are alike, else what differs, to be freed with g_free; then *difference (owned by the caller, may be left out by
 * passing NULL) is the second one, faded, with the tiles that differ framed. */
char      *golden_picture_compare (GdkPixbuf *golden, GdkPixbuf *actual, GdkPixbuf **difference);
/* A part of the picture, without transparency and divided by scale in both directions. */
GdkPixbuf *golden_picture_cut     (GdkPixbuf *picture, const GdkRectangle *part, int scale);
gboolean   golden_picture_save    (GdkPixbuf *picture, const char *path, GError **error);
/* Compares with the file of that path. LS_UPDATE_GOLDEN=1 writes it instead, where it is not alike. A mismatch fails the test;
 * picture and difference are then left in folder under that name. */
void       golden_picture_check   (GdkPixbuf *picture, const char *path, const char *folder, const char *name);
