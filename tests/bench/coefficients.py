"""The coefficients of engine/ir/functions.def by Remez' exchange in decimal arithmetic of 70 digits. Prints each polynomial from its lowest coefficient on, rounded to its
float, and the error that it has before it is computed in floats; and the words of 2/pi that sin reduces by.

Usage: coefficients.py
"""
from decimal import Decimal, getcontext
import struct

getcontext().prec = 70
HALF, TINY = Decimal("0.5"), Decimal(10) ** -25
LN2 = Decimal(2).ln()


def sine_of(x):
    """sin x for a small x, by its series."""
    total = term = x
    k = 1
    while abs(term) > Decimal(10) ** -75:
        term *= -x * x / ((k + 1) * (k + 2))
        total += term
        k += 2
    return total


def cosine_of(x):
    """cos x for a small x, by its series."""
    total = term = Decimal(1)
    k = 0
    while abs(term) > Decimal(10) ** -75:
        term *= -x * x / ((k + 1) * (k + 2))
        total += term
        k += 2
    return total


def pi_of(digits):
    """floor (pi * 10^digits) by Machin's formula, in integers."""
    one = 10 ** (digits + 10)

    def arctangent_of_inverse(n):
        total = term = one // n
        k = 1
        while term:
            term //= -n * n
            k += 2
            total += term // k
        return total
    return 4 * (4 * arctangent_of_inverse(5) - arctangent_of_inverse(239)) // 10 ** 10


PI = Decimal(pi_of(68)).scaleb(-68)


def single(x):
    """The float32 nearest to it."""
    return struct.unpack("f", struct.pack("f", float(x)))[0]


def solve(a, b):
    """The solution of a linear system by elimination with pivots."""
    n = len(b)
    a = [row + [value] for row, value in zip(a, b)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda k: abs(a[k][i]))
        a[i], a[pivot] = a[pivot], a[i]
        for k in range(i + 1, n):
            f = a[k][i] / a[i][i]
            for j in range(i, n + 1):
                a[k][j] -= f * a[i][j]
    x = [Decimal(0)] * n
    for i in reversed(range(n)):
        x[i] = (a[i][n] - sum(a[i][j] * x[j] for j in range(i + 1, n))) / a[i][i]
    return x


def powers(x, n):
    """1, x, … x^n."""
    all_of = [Decimal(1)]
    for _ in range(n):
        all_of.append(all_of[-1] * x)
    return all_of


def remez(f, weight, low, high, n, rounds=9):
    """The polynomial of degree n for which the largest weight(x) * |f(x) - p(x)| in low ... high is least, and that error."""
    grid = [low + (high - low) * i / 400 for i in range(401)]
    values = [f(x) for x in grid]
    places = [round((1 - float(cosine_of(PI * k / (n + 1) / 2) ** 2)) * 400) for k in range(n + 2)]
    for _ in range(rounds):
        rows = [powers(grid[i], n) + [(-1) ** j / weight(grid[i])] for j, i in enumerate(places)]
        c = solve(rows, [values[i] for i in places])[:n + 1]
        error = [weight(x) * (v - sum(a * p for a, p in zip(c, powers(x, n)))) for x, v in zip(grid, values)]
        # of each stretch of one sign where it is largest
        ends, start = [], 0
        for i in range(1, 402):
            if i == 401 or (error[i] > 0) != (error[start] > 0):
                ends.append(max(range(start, i), key=lambda k: abs(error[k])))
                start = i
        if len(ends) < n + 2:
            break
        while len(ends) > n + 2:
            ends.pop(0 if abs(error[ends[0]]) < abs(error[ends[-1]]) else -1)
        if ends == places:
            break
        places = ends
    return c, max(abs(v) for v in error)


def exponential(f):
    """2^f = 1 + f q(f)."""
    return ((f * LN2).exp() - 1) / f if abs(f) > TINY else LN2


def logarithm(t):
    """ln (1 + t) = t - t^2 / 2 + t^3 p(t)."""
    return ((1 + t).ln() - t + t * t / 2) / t ** 3 if abs(t) > Decimal(10) ** -12 else Decimal(1) / 3


def odd_logarithm(z):
    """ln ((1 + s) / (1 - s)) = 2 s + s^3 r(s^2)."""
    s = z.sqrt()
    return (((1 + s) / (1 - s)).ln() - 2 * s) / s ** 3 if z > Decimal(10) ** -20 else Decimal(2) / 3


def sine(z):
    """sin r = r + r^3 s(r^2)."""
    r = z.sqrt()
    return (sine_of(r) / r - 1) / z if z > Decimal(10) ** -20 else -Decimal(1) / 6


def cosine(z):
    """cos r = 1 - r^2 / 2 + r^4 c(r^2)."""
    return (cosine_of(z.sqrt()) - 1 + z / 2) / z ** 2 if z > Decimal(10) ** -14 else Decimal(1) / 24


def show(name, to, fit):
    """One polynomial."""
    print(f"{name}: {[to(v) for v in fit[0]]}, error {float(fit[1]):.3g}", flush=True)


def two_over_pi(zeros, words, width):
    """The bits of 2/pi after so many zeros, as words of so many bits."""
    bits = words * width - zeros
    digits = bits * 31 // 100 + 20
    fraction = (2 * 10 ** digits << bits) // pi_of(digits)
    return [fraction >> width * (words - 1 - i) & (1 << width) - 1 for i in range(words)]


near = HALF * Decimal("1.0001")
turn = (PI / 4) ** 2 * Decimal("1.0002")
low, high = HALF.sqrt() - 1, Decimal(2).sqrt() - 1
s = high / (2 + high)
for name, to, n in (("exp2", single, 5), ("exp2, double", float, 11)):
    show(name, to, remez(exponential, lambda x: max(abs(x), Decimal(10) ** -3), -near, near, n))
show("log2", single, remez(logarithm, lambda t: max(t * t, Decimal(10) ** -4), low, high, 7))
show("log2, double", float, remez(odd_logarithm, lambda z: z + Decimal(10) ** -3, Decimal(0), s * s * Decimal("1.001"), 7))
for name, to, n in (("sin", single, 3), ("sin, double", float, 5)):
    show(name, to, remez(sine, lambda z: z + Decimal(10) ** -3, Decimal(0), turn, n))
for name, to, n in (("cos", single, 2), ("cos, double", float, 5)):
    show(name, to, remez(cosine, lambda z: z * z + Decimal(10) ** -3, Decimal(0), turn, n))
# 26 zeros, so that the first bit that counts of the smallest float that is reduced is bit 0
print("2/pi:", two_over_pi(26, 8, 32))
print("2/pi, double:", ", ".join(f"{w:#010x}" for w in two_over_pi(55, 40, 32)))
