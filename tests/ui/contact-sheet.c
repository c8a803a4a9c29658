/* Pictures on one sheet, to be looked at: contact-sheet OUT.png WIDTH FILE.png… fills rows of that width. */
#include <gdk-pixbuf/gdk-pixbuf.h>
#include <stdlib.h>

enum { GAP = 6 };

int
main (int argc, char **argv)
{
  g_autoptr (GPtrArray) pictures = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GError) error = NULL;
  int width = argc > 2 ? atoi (argv[2]) : 0;
  if (argc < 4 || width <= 0) {
    g_printerr ("contact-sheet OUT.png WIDTH FILE.png…\n");
    return 2;
  }
  GdkPixbuf *sheet = NULL;
  for (int draw = 0; draw <= 1; draw++) {      /* first for the height */
    int x = GAP, y = GAP, row = 0;
    for (int i = 3; i < argc; i++) {
      if (!draw) {
        GdkPixbuf *p = gdk_pixbuf_new_from_file (argv[i], &error);
        if (!p) {
          g_printerr ("contact-sheet: %s\n", error->message);
          return 1;
        }
        g_ptr_array_add (pictures, p);
      }
      GdkPixbuf *p = pictures->pdata[i - 3];
      int w = MIN (gdk_pixbuf_get_width (p), width - 2 * GAP), h = gdk_pixbuf_get_height (p);
      if (x > GAP && x + w + GAP > width)
        x = GAP, y += row + GAP, row = 0;
      if (draw)
        gdk_pixbuf_copy_area (p, 0, 0, w, h, sheet, x, y);
      x += w + GAP;
      row = MAX (row, h);
    }
    if (!draw) {
      sheet = gdk_pixbuf_new (GDK_COLORSPACE_RGB, FALSE, 8, width, y + row + GAP);
      gdk_pixbuf_fill (sheet, 0xd03060ff);
    }
  }
  gboolean ok = gdk_pixbuf_save (sheet, argv[1], "png", &error, NULL);
  if (!ok)
    g_printerr ("contact-sheet: %s\n", error->message);
  g_object_unref (sheet);
  return ok ? 0 : 1;
}
