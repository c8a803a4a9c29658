/* A program of one layer and those below it: it links when the layer needs nothing of a higher one. */
int main (void) { return 0; }
