"""Gives bitcode the producer of an LLVM to come: LLVM22 becomes LLVM99.

The string stands in the identification block, six bits a character for what fits
in six, so it is looked for bit by bit.
"""

import sys

SIX = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._"


def bits_of(text, width):
    """The characters as a little-endian bit string."""
    if width == 6:
        codes = [SIX.index(c) for c in text]
    else:
        codes = [ord(c) for c in text]
    return "".join(format(c, "0%db" % width)[::-1] for c in codes)


data = open(sys.argv[1], "rb").read()
stream = "".join(format(byte, "08b")[::-1] for byte in data)
for width in (6, 7, 8):
    old = bits_of("LLVM22", width)
    at = stream.find(old)
    if 0 <= at < 400:
        stream = stream[:at] + bits_of("LLVM99", width) + stream[at + len(old):]
        break
else:
    sys.exit("no producer found")
with open(sys.argv[2], "wb") as out:
    out.write(bytes(int(stream[i:i + 8][::-1], 2)
                    for i in range(0, len(stream), 8)))
