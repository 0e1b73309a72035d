"""Assembles the PTX of every gpu-*.ll and nvptx-*.ll with ptxas.

assemble.py SMELT-CC PTXAS FOLDER SCRATCH
"""

import glob
import os
import subprocess
import sys

compiler, ptxas, folder, scratch = sys.argv[1:]
bitcode, ptx, cubin = (scratch + end for end in (".bc", ".ptx", ".cubin"))
count = 0
for source in sorted(glob.glob(os.path.join(folder, "gpu-*.ll"))
                     + glob.glob(os.path.join(folder, "nvptx-*.ll"))):
    subprocess.run(["llvm-as", source, "-o", bitcode], check=True)
    for gpu in ("sm_75", "sm_80", "sm_90", "sm_100", "sm_120"):
        subprocess.run([compiler, bitcode, "--targets", gpu, "--stop-after",
                        "emit", "-o", ptx], check=True)
        subprocess.run([ptxas, "-arch=" + gpu, ptx, "-o", cubin], check=True)
        count += 1
    subprocess.run([compiler, bitcode, "--targets", "sm_90c", "--stop-after",
                    "emit", "-o", cubin], check=True)
    with open(cubin, "rb") as file:
        assert file.read(4) == b"\x7fELF", source
assert count, "no tests found in " + folder
