"""Symbol and flags of each kernel in a dumped smelt_kernels section, a line each."""
import struct
import sys

table = open(sys.argv[1], "rb").read()
# struct smelt_table_header: magic, then 32-bit fields.
field = struct.unpack_from("<8s14I", table)
count, kernels, strings = field[4], field[5], field[13]
for i in range(count):
    kernel = struct.unpack_from("<QQ10I", table, kernels + 56 * i)
    start = strings + kernel[2]
    print(table[start : table.index(b"\0", start)].decode(), "flags", hex(kernel[10]))
