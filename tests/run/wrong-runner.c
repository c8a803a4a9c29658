/* A runner that answers every launch at once, with a buffer of nothing computed, and is wrong in the one way that its name ends with:
 * test_replies of test-run.c. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/runner/protocol.h"

static void
send_all (LsMessageHead head, gconstpointer payload)
{
  if (write (LS_PROTOCOL_SOCKET, &head, sizeof head) != sizeof head || write (LS_PROTOCOL_SOCKET, payload, head.size) != (gssize) head.size)
    exit (EXIT_FAILURE);
}

static gboolean
receive_all (void *data, gsize n)
{
  for (guint8 *at = data; n > 0;) {
    gssize got = read (LS_PROTOCOL_SOCKET, at, n);
    if (got <= 0)
      return FALSE;
    at += got;
    n -= (gsize) got;
  }
  return TRUE;
}

static void
answer (LsMessageHead to)
{
  struct { LsMessageCompiled compiled; char strings[2]; } __attribute__ ((packed)) compiled = {
    { .ok = TRUE, .n_message = 1, .n_version = 1 }, ""
  };
  struct { LsMessageRan ran; guint64 ns; } __attribute__ ((packed)) ran = { { 1 }, 1000 };
  to.kind = LS_MESSAGE_COMPILED;
  to.size = sizeof compiled;
  send_all (to, &compiled);
  to.kind = LS_MESSAGE_RAN;
  to.size = sizeof ran;
  send_all (to, &ran);
}

int
main (int argc, char **argv)
{
  const char *how = strrchr (argv[0], '-') + 1;
  LsMessageReady ready = { LS_PROTOCOL_VERSION };
  send_all ((LsMessageHead) { .kind = LS_MESSAGE_READY, .size = sizeof ready }, &ready);
  for (LsMessageHead head; receive_all (&head, sizeof head);) {
    g_autofree guint8 *payload = g_malloc (head.size);
    if (!receive_all (payload, head.size))
      break;
    head.pid += strcmp (how, "pid") == 0;
    head.sequence += strcmp (how, "sequence") == 0;
    answer (head);
    if (strcmp (how, "twice") == 0)      /* the second reply is there when the next request is made */
      answer (head);
  }
  return EXIT_SUCCESS;
}
