#!/usr/bin/env python3
"""Lines for `gdr fp eval`: every operation, width of destination and widths of operands, on words that look for trouble.

    operations.py COUNT

The same COUNT gives the same lines.
"""

import random
import sys

EXPONENTS = (0, 1, 2, 1022, 1023, 1024, 2045, 2046, 2047)  # 0 is zero, 2047 infinity, whatever the fraction
SUMS = ("fadd", "fsub", "fmax", "fmin")
KINDS = [(name, to, a, b)
         for name in (*SUMS, "fpassa", "fmul", "fmul2") for to in "ls" for a in "ls" for b in "ls"
         if not (name == "fmul" and b == "l") and not (name == "fmul2" and "s" in (a, b))]


def word(source, width, near):
    """Hex digits of a word, often with an exponent at an end of the range or close to `near`."""
    exponent = source.choice((source.choice(EXPONENTS), source.randrange(2048),
                              min(max(near + source.randint(-70, 70), 1), 2046), near))
    bits = 60 if width == "l" else 24
    fraction = source.choice((0, 1, 2**bits - 1, 1 << source.randrange(bits), source.getrandbits(bits),
                              source.getrandbits(bits)))
    return f"{source.getrandbits(1) << 11 | exponent:03x}{fraction:0{bits // 4}x}"


def opposite(digits):
    return f"{int(digits[0], 16) ^ 8:x}{digits[1:]}"


def operations(count):
    source = random.Random(20)
    lines = []
    for n in range(count):
        name, to, width_a, width_b = KINDS[n % len(KINDS)]
        near = source.randrange(1, 2047)
        near_b = near if name in SUMS else max(2046 - near, 1)  # a product in the middle of the range
        a, b = word(source, width_a, near), word(source, width_b, near_b)
        if width_a == width_b and source.randrange(16) == 0:
            b = source.choice((a, opposite(a)))
        lines.append(f"{name}.{to} {a}\n" if name == "fpassa" else f"{name}.{to} {a} {b}\n")
    return lines


if __name__ == "__main__":
    sys.stdout.writelines(operations(int(sys.argv[1])))
