/* The profile modern end to end: listing and source of small programs against files in modern/.
 *
 * The files are recordings of mid-2025, to the character, except their lines of copies and times: none may change. Every listing is read
 * back, and prints the same again.
 */
#include "../fixture.h"
#include "golden.h"
#include "ir/print.h"

#include <string.h>

static const struct { const char *name, *text; } programs[] = {
  { "add1", "(Tensor([1])+Tensor([2])).realize()" },
  { "add4", "(Tensor([1.0,2.0,3.0,4.0])+Tensor([5.0,6.0,7.0,8.0])).realize()" },
  { "add_const", "(Tensor([1,2,3])+2).realize()" },
  { "cast", "Tensor([1,2,3]).cast(dtypes.float).realize()" },
  { "cast_chain", "(Tensor([1.5,2.5,-3.5]).cast(dtypes.int)*2).cast(dtypes.half).realize()" },
  { "conv", "Tensor.empty(1,2,6,6).conv2d(Tensor.empty(3,2,3,3)).realize()" },
  { "matmul4", "a=Tensor([[1.0,2.0,3.0,4.0],[5.0,6.0,7.0,8.0],[9.0,10.0,11.0,12.0],[13.0,14.0,15.0,16.0]])\n"
    "b=Tensor([[1.0,0.0,0.0,1.0],[0.0,1.0,0.0,1.0],[0.0,0.0,1.0,1.0],[1.0,1.0,1.0,0.0]])\n(a@b).realize()" },
  { "matmul64", "(Tensor.empty(64,64)@Tensor.empty(64,64)).realize()" },
  { "max_axis", "Tensor.empty(5,7).max(axis=0).realize()" },
  { "pad_permute", "Tensor.empty(3,4).permute(1,0).pad(((1,1),(0,2))).contiguous().realize()" },
  { "relu_where", "x=Tensor.empty(10)\n(x>0).where(x, x*0.1).realize()" },
  { "softmax", "Tensor.empty(4,10).softmax().realize()" },
  { "sum256", "Tensor.empty(256).sum().realize()" },
  { "sum4", "Tensor([1.0,2.0,3.0,4.0]).sum().realize()" },
  { "sum_axis", "Tensor.empty(8,16).sum(axis=1).realize()" },
  { "twokernels", "x=Tensor([1.0,2.0,3.0])\ny=(x+1).contiguous()\n(y*2).realize()" },
};

static void
test_listing (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autofree char *text = g_strconcat (programs[i].text, "\n", NULL), *golden = g_strdup_printf ("modern/%s.golden", programs[i].name);
  g_autoptr (LsSession) s = FIXTURE_RUN (.text = text, .settings = "profile=modern");
  g_autoptr (GString) out = g_string_new (NULL);
  for (guint k = 0; k < s->trace->kernels->len; k++) {
    const LsKernel *kernel = s->trace->kernels->pdata[k];
    g_autoptr (GPtrArray) list = g_ptr_array_new ();
    g_autoptr (GError) error = NULL;
    for (guint r = 0; r < kernel->listing->len; r++)
      g_ptr_array_add (list, ls_context_node (s->ctx, g_array_index (kernel->listing, guint32, r)));
    g_autofree char *listing = ls_listing_print (s->ctx, list->len, (LsUOp *const *) list->pdata, LS_STYLE_OPS);
    g_string_append_printf (out, "%s%s", listing, kernel->source);
    g_autoptr (LsContext) other = ls_context_new ();
    g_autoptr (GPtrArray) back = ls_listing_parse (other, listing, &error);
    g_assert_no_error (error);
    g_autofree char *again = ls_listing_print (other, back->len, (LsUOp *const *) back->pdata, LS_STYLE_OPS);
    g_assert_cmpstr (again, ==, listing);
  }
  golden_check (golden, out->str);
}

/* The fifth seed's rendering of a sum of 2^24: lanes are split and added to one register in each iteration. */
static void
test_seed (void)
{
  g_autoptr (LsSession) s = FIXTURE_RUN (.text = "Tensor.empty(16777216).sum().realize()\n", .settings = "profile=modern",
                                         .only_text = TRUE);
  const LsKernel *k = s->trace->kernels->pdata[0];
  g_assert_nonnull (strstr (k->source, "    float4 val0 = (*((float4*)((data1_16777216+(ridx1000<<2)))));\n"
                                       "    *(acc0+0) = ((*(acc0+0))+val0[0]+val0[1]+val0[2]+val0[3]);\n"));
}

/* DEVECTORIZE=0 keeps vectors in arithmetic and accumulators as well. */
static void
test_vectors (void)
{
  g_autoptr (LsSession) s = FIXTURE_RUN (.text = "(Tensor.empty(8,4)+Tensor.empty(8,4)).realize()\n",
                                         .settings = "profile=modern DEVECTORIZE=0", .only_text = TRUE);
  const LsKernel *k = s->trace->kernels->pdata[0];
  g_assert_nonnull (strstr (k->source, "= (val0+val1);"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (programs); i++) {
    g_autofree char *path = g_strdup_printf ("/render/modern/%s", programs[i].name);
    g_test_add_data_func (path, GUINT_TO_POINTER (i), test_listing);
  }
  g_test_add_func ("/render/modern/seed", test_seed);
  g_test_add_func ("/render/modern/vectors", test_vectors);
  return g_test_run ();
}
