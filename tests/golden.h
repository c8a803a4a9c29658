/* Golden files: text a test made against a file next to its source.
 *
 * LS_UPDATE_GOLDEN=1 in the environment writes the files instead of comparing. A mismatch fails the test with a diff.
 */
#pragma once
#include <glib.h>

/* Compares text with the file of that name in the test's source folder (G_TEST_SRCDIR). */
void  golden_check (const char *name, const char *text);
/* Lines that differ, "-" those of a alone, "+" those of b alone; "" when equal. Free with g_free. */
char *golden_diff  (const char *a, const char *b);
