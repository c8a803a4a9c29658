"""The coefficients of decompose.rules' exp2, log2 and sin, by Remez' exchange with 240 bits (needs mpmath). Prints each polynomial from its lowest coefficient on, rounded to its
float, and the error that it has before it is computed in floats; and the words of 2/pi that sin reduces by.

Usage: coefficients.py
"""
from mpmath import cos, fabs, floor, log, lu_solve, matrix, mp, mpf, nstr, pi, sin, sqrt
import struct

mp.prec = 240
HALF, TINY = mpf(1) / 2, mpf(10) ** -40


def single(x):
    """The float32 nearest to it."""
    return struct.unpack("f", struct.pack("f", float(x)))[0]


def remez(f, weight, low, high, n, rounds=12):
    """The polynomial of degree n for which the largest weight(x) * |f(x) - p(x)| in low ... high is least, and that error."""
    xs = [(low + high) / 2 + (high - low) / 2 * cos(pi * (n + 1 - k) / (n + 1)) for k in range(n + 2)]
    for _ in range(rounds):
        a, b = matrix(n + 2, n + 2), matrix(n + 2, 1)
        for i, x in enumerate(xs):
            for k in range(n + 1):
                a[i, k] = x ** k
            a[i, n + 1] = (-1) ** i / weight(x)
            b[i] = f(x)
        c = list(lu_solve(a, b))[:n + 1]
        grid = [low + (high - low) * mpf(i) / 400 for i in range(401)]
        error = [weight(x) * (f(x) - sum(v * x ** k for k, v in enumerate(c))) for x in grid]
        # of each stretch of one sign where it is largest
        ends, start = [], 0
        for i in range(1, 402):
            if i == 401 or (error[i] > 0) != (error[start] > 0):
                ends.append(max(range(start, i), key=lambda k: fabs(error[k])))
                start = i
        if len(ends) < n + 2:
            break
        while len(ends) > n + 2:
            ends.pop(0 if fabs(error[ends[0]]) < fabs(error[ends[-1]]) else -1)
        xs = [grid[i] for i in ends]
    return c, max(fabs(v) for v in error)


def exponential(f):
    """2^f = 1 + f q(f)."""
    return (mpf(2) ** f - 1) / f if fabs(f) > TINY else log(2)


def logarithm(t):
    """ln (1 + t) = t - t^2 / 2 + t^3 p(t)."""
    return (log(1 + t) - t + t * t / 2) / t ** 3 if fabs(t) > mpf(10) ** -12 else mpf(1) / 3


def odd_logarithm(z):
    """ln ((1 + s) / (1 - s)) = 2 s + s^3 r(s^2)."""
    s = sqrt(z)
    return (log((1 + s) / (1 - s)) - 2 * s) / s ** 3 if z > mpf(10) ** -20 else mpf(2) / 3


def sine(z):
    """sin r = r + r^3 s(r^2)."""
    r = sqrt(z)
    return (sin(r) / r - 1) / z if z > mpf(10) ** -20 else -mpf(1) / 6


def cosine(z):
    """cos r = 1 - r^2 / 2 + r^4 c(r^2)."""
    r = sqrt(z)
    return (cos(r) - 1 + z / 2) / z ** 2 if z > mpf(10) ** -14 else mpf(1) / 24


def show(name, to, fit):
    """One polynomial."""
    print(f"{name}: {[to(v) for v in fit[0]]}, error {nstr(fit[1], 3)}")


near = HALF * mpf("1.0001")
turn = (pi / 4) ** 2 * mpf("1.0002")
low, high = sqrt(HALF) - 1, sqrt(mpf(2)) - 1
for name, to, n in (("exp2", single, 5), ("exp2, double", float, 11)):
    show(name, to, remez(exponential, lambda x: max(fabs(x), mpf(10) ** -3), -near, near, n))
show("log2", single, remez(logarithm, lambda t: max(t * t, mpf(10) ** -4), low, high, 7))
show("log2, double", float, remez(odd_logarithm, lambda z: z + mpf(10) ** -3, mpf(0), (high / (2 + high)) ** 2 * mpf("1.001"), 7))
show("sin", single, remez(sine, lambda z: z + mpf(10) ** -3, mpf(0), turn, 3))
show("cos", single, remez(cosine, lambda z: z * z + mpf(10) ** -3, mpf(0), turn, 2))
# 26 zeros, so that the first bit that counts of the smallest x that is reduced is bit 0; then the bits of 2/pi
bits = "0" * 26 + bin(int(floor(2 / pi * mpf(2) ** 230)))[2:].zfill(230)
print("2/pi:", [int(bits[32 * i:32 * i + 32], 2) for i in range(8)])
