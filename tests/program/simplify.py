"""UOp.simplify on random integer expressions: the same value as the expression has in its dtype's arithmetic, and folded where Python's integers show it. ROUNDS and SEED are in the environment."""
import random
from tinygrad import dtypes
from tinygrad.helpers import getenv
from tinygrad.uop.ops import UOp

ROUNDS, SEED = getenv("ROUNDS", 120), getenv("SEED", 1)
BINARY = {"ADD": lambda a, b: a + b, "SUB": lambda a, b: a - b, "MUL": lambda a, b: a * b, "MAX": max, "CMPLT": lambda a, b: a < b, "CMPNE": lambda a, b: a != b, "CMPEQ": lambda a, b: a == b,
          "FLOORDIV": lambda a, b: a // b, "FLOORMOD": lambda a, b: a % b}


def wrap(value, dtype):
    """A number as the dtype holds it."""
    if dtype is dtypes.bool:
        return bool(value)
    if dtype == dtypes.index:
        return value
    bits = 8 * dtype.itemsize
    value &= (1 << bits) - 1
    return value - (1 << bits) if not dtype.is_unsigned and value >> (bits - 1) else value


def value_of(root, variables):
    """The values of a graph, node by node, each in its dtype."""
    values = {}
    for u in root.toposort():
        given = [values[source] for source in u.src]
        name = u.op.name
        if name in ("CONST", "DEFINE_VAR"):
            values[u] = u.arg if name == "CONST" else variables[u.arg[0]]
        elif name == "CAST":
            values[u] = wrap(given[0], u.dtype)
        elif name == "WHERE":
            values[u] = given[1] if given[0] else given[2]
        elif name == "NEG":
            values[u] = wrap(-given[0], u.dtype)
        elif name == "NOT":
            values[u] = not given[0]
        elif name in ("AND", "OR", "XOR"):
            values[u] = wrap({"AND": given[0] & given[1], "OR": given[0] | given[1], "XOR": given[0] ^ given[1]}[name], u.dtype)
        else:
            values[u] = wrap(BINARY[name](*given), u.dtype)
    return values[root]


def expression(rand, leaves, depth):
    """A random integer expression; its numbers are small, or at the edges of the dtype."""
    if depth == 0 or rand.random() < 0.15:
        return rand.choice(leaves)
    a = expression(rand, leaves, depth - 1)
    k, edge = rand.randrange(11), 8 * a.dtype.itemsize - 1
    number = rand.choice((1, 2, 3, 4, 6, 8, 12, 16, 100, (1 << edge) - 1, 1 << (edge - 1), 1 << (edge // 2)))
    if k < 2:
        return a.alu("FLOORDIV" if k else "FLOORMOD", number)
    if k < 5:
        return a.alu(("ADD", "MUL", "SUB")[k - 2], rand.choice((number, -number)))
    if k == 5:
        return -a
    b = expression(rand, leaves, depth - 1)
    if k == 6:
        return a.alu(rand.choice(("CMPLT", "CMPNE", "CMPEQ")), b).where(a, b)
    return a.alu(("ADD", "SUB", "MUL", "MAX")[k - 7], b)


rand, changed = random.Random(SEED), 0
for turn in range(ROUNDS):
    dtype = rand.choice((dtypes.int, dtypes.int, dtypes.long, dtypes.int8))
    edge, leaves, bounds = 8 * dtype.itemsize - 1, [], {}
    for name in "abc":
        least = rand.choice((0, 0, 1, -5, -(1 << edge)))
        most = min(least + rand.choice((1, 4, 7, 10, 63, 1 << edge)), (1 << edge) - 1)
        bounds[name] = least, most
        leaves.append(UOp.variable(name, least, most, dtype))
    e = expression(rand, leaves, rand.randrange(1, 6))
    s = e.simplify()
    changed += s is not e
    assert s.dtype is e.dtype, (SEED, turn, s.dtype, e.dtype)
    assert not any(u.dtype == dtypes.index for u in s.toposort()), (SEED, turn, s.pyrender())
    for sample in range(12):
        variables = {name: rand.choice((least, most, rand.randint(least, most), rand.randint(least, min(most, least + 40)))) for name, (least, most) in bounds.items()}
        assert value_of(s, variables) == value_of(e, variables), (SEED, turn, sample, variables, e.pyrender(), s.pyrender())
assert changed > ROUNDS // 2, changed

# Expressions that fold as far as the bounds allow, and no further.
a, b = UOp.variable("a", 0, 10), UOp.variable("b", 0, 3)
wide, long = UOp.variable("w", 0, 2**30), UOp.variable("l", 0, 2**62, dtypes.long)
shown = lambda u: u.simplify().expression(1000)
for e, text in ((a + 0, "a"), (a * 2 // 2, "a"), ((a * 4 + 2) // 2, "(a*2+1)"), (a * 4 % 4, "0"), (a + a, "(a*2)"), (a // 11, "0"), (a < 11, "True"), ((a * 4 + b) // 4, "a"), ((a * 4 + b) % 4, "b"),
                ((a * 2 + 1 < 4), "(a<2)"), (wide * 4 // 4, "(w*4//4)"), (wide * 2 // 2, "(w*2//2)"), (wide // 2 * 2 // 2, "(w//2)"), (wide + 1 > 0, "True"), (wide * 4 < 5, "(w*4<5)"), (long * 4 // 4, "(l*4//4)"),
                (long * 1 // 1, "l"), (a.cast(dtypes.long) * 2**40 // 2**40, None)):
    got = shown(e)
    assert text is None or got == text, (got, text)
full = UOp.const(dtypes.int, 2**31 - 1) - UOp.variable("x", 0, 2**31 - 2)      # from 1 on
assert value_of((full + 1).simplify(), {"x": 0}) == -2**31 and shown(full + 1 > 0) != "True"
print(f"simplify: all as expected, {changed} of {ROUNDS} changed")
