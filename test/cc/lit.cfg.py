"""Tests of smelt-cc: RUN lines in .ll files, checked by FileCheck.

Run with `lit-22 test/cc`. Needs build/bin/smelt-cc; LLVM's tools are those that
llvm-config-22 names.
"""

import os
import shutil
import subprocess
import sys

import lit.formats

tree = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
llvm = subprocess.run(
    [os.environ.get("LLVM_CONFIG", "llvm-config-22"), "--bindir"],
    capture_output=True, text=True, check=True).stdout.strip()

config.name = "smelt-cc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".ll", ".test"]
config.excludes = ["inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(tree, "build", "test", "cc")

config.environment["PATH"] = os.pathsep.join([llvm, os.environ["PATH"]])
for name in ("CUDA_HOME", "CUDA_PATH", "HOME", "RUSTUP_HOME", "CARGO_HOME",
             "RUSTUP_TOOLCHAIN"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

config.substitutions.append(
    ("%smelt-cc", os.path.join(tree, "build", "bin", "smelt-cc")))
config.substitutions.append(("%engine", os.path.join(tree, "build", "obj", "runtime", "engine")))
config.substitutions.append(("%tree", tree))
config.substitutions.append(("%python", sys.executable))


def ptxas():
    """The assembler where smelt-cc looks for it."""
    homes = [os.environ.get(v) for v in ("CUDA_HOME", "CUDA_PATH")]
    for home in [h for h in homes if h] + ["/usr/local/cuda"]:
        path = os.path.join(home, "bin", "ptxas")
        if os.access(path, os.X_OK):
            return path
    return shutil.which("ptxas")


if ptxas():
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", ptxas()))
if shutil.which("rustc"):
    config.available_features.add("rustc")
    sysroot = subprocess.run(["rustc", "--print", "sysroot"],
                             capture_output=True, text=True).stdout.strip()
    config.substitutions.append(("%sysroot", sysroot))
if shutil.which("dpkg-query") and subprocess.run(
        ["dpkg-query", "-W", "rocm-device-libs"],
        capture_output=True).returncode == 0:
    config.available_features.add("ocml")
