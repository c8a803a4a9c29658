"""`Tensor.rearrange`: axes by name."""


def parse(side):
    """The axes of one side, and the (begin, end) of those in parentheses. "a (b c)" → ["a", "b", "c"], [(1, 3)]"""
    names, groups, begin = [], [], None
    for token in side.replace("…", "...").replace("(", " ( ").replace(")", " ) ").split():
        if token == "(":
            if begin is not None:
                raise AssertionError(f"bracket mismatch in {side!r}: groups do not nest")
            begin = len(names)
        elif token == ")":
            if begin is None:
                raise AssertionError(f"bracket mismatch in {side!r}")
            groups.append((begin, len(names)))
            begin = None
        elif token == "1" and begin is None:
            groups.append((len(names), len(names)))      # a 1 is a group of no axes
        elif token != "1":
            names.append(token)
    if begin is not None:
        raise AssertionError(f"bracket mismatch in {side!r}")
    return names, groups


def check(formula, left, right, groups, sizes):
    for name in sizes:
        if name not in left:
            raise AssertionError(f"axis {name} is not used in transform {formula!r}")
    if sorted(left) != sorted(right) or len(left) != len(set(left)):
        raise AssertionError(f"name mismatch in {formula!r}: each axis is named once on each side")
    for name in left:
        if name != "..." and (not name.isidentifier() or "_" in (name[0], name[-1])):
            raise AssertionError(f"invalid axis name {name} in {formula!r}")
    if any("..." in left[begin:end] for begin, end in groups):
        raise AssertionError(f"cannot have collapsed ellipsis (...) in lhs of {formula}")


def spread(names, groups, n):
    """The ellipsis as n axes."""
    if "..." not in names:
        return names, groups
    at = names.index("...")
    def moved(place): return place + (n - 1 if place > at else 0)
    return names[:at] + [f"...{i}" for i in range(n)] + names[at + 1:], [(moved(begin), moved(end)) for begin, end in groups]


def rearrange(x, formula, sizes):
    """Split the groups of the left side, permute, merge the groups of the right side."""
    if formula.count("->") != 1:
        raise AssertionError(f'need exactly one "->" in formula {formula!r}')
    (left, split), (right, merged) = [parse(side) for side in formula.split("->")]
    check(formula, left, right, split, sizes)
    n = x.ndim - (len(left) - 1 - sum(end - begin - 1 for begin, end in split))
    left, split = spread(left, split, n)
    right, merged = spread(right, merged, n)
    for begin, end in split:
        x = x.unflatten(begin, tuple([sizes.get(name, -1) for name in left[begin:end]]))
    if x.ndim != len(left):
        raise AssertionError(f"{formula!r} names {len(left)} axes, and the shape is {x.shape}")
    for name, size in sizes.items():
        if x.shape[left.index(name)] != size:
            raise AssertionError(f"size provided for dimension {name} incorrect: {size} is {x.shape[left.index(name)]} in shape {x.shape}")
    x = x.permute([left.index(name) for name in right])
    for begin, end in reversed(merged):
        x = x.flatten(begin, end - 1) if begin < end else x.unsqueeze(begin)
    return x
