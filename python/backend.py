"""Builds the wheel: what 'pip install .' and 'make wheel' call (PEP 517, PEP 660 without editable installs).

It needs CMake and a C compiler and no package of Python's, so it works without a network and with any CPython from 3.9 on. The
wheel holds the shared library, the headers that the module reads, and type stubs made from both. It is for the platform that it
was built on and for every Python there, since the library is called through ctypes.
"""
import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
NAME = "sinew"


def version():
    return re.search(r"project\(sinew VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def tag():
    return "py3-none-" + re.sub(r"[-.]", "_", sysconfig.get_platform())


def metadata():
    return "\n".join([
        "Metadata-Version: 2.1", f"Name: {NAME}", f"Version: {version()}",
        "Summary: Volumetric soft bodies and muscles in real time, on the CPU", "License: MIT",
        "Requires-Python: >=3.9", "Requires-Dist: numpy", "Description-Content-Type: text/markdown", "",
        (ROOT / "python" / "README.md").read_text()])


def build_library(folder):
    """The shared library alone: it needs nothing but a compiler. Returns its file."""
    subprocess.run(["cmake", "-S", ROOT, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_SHARED_LIBS=ON",
                    "-DSN_BUILD_TOOLS=OFF", "-DSN_BUILD_TESTS=OFF", "-DSN_INSTALL=OFF", "--log-level=WARNING",
                    *(["-G", "Ninja"] if shutil.which("ninja") else [])], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", folder, "--config", "Release", "--target", "sinew", "--parallel",
                    os.environ.get("JOBS", str(os.cpu_count()))], check=True, stdout=subprocess.DEVNULL)
    for pattern in ("libsinew.so", "libsinew.dylib", "libsinew.dll", "sinew.dll"):
        for found in folder.rglob(pattern):
            return found.resolve()
    sys.exit(f"the build left no library in {folder}")


def stubs():
    return subprocess.run([sys.executable, ROOT / "scripts" / "bindings", "pyi", ROOT / "include" / "sinew"], check=True,
                          stdout=subprocess.PIPE, text=True).stdout


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    library = build_library(pathlib.Path(os.environ.get("BUILD", ROOT / "build")) / "wheel")
    info = f"{NAME}-{version()}.dist-info"
    files = {f"{NAME}/__init__.py": (ROOT / "python" / "sinew.py").read_bytes(),
             f"{NAME}/__init__.pyi": stubs().encode(), f"{NAME}/py.typed": b"",
             f"{NAME}/libsinew{library.suffix if library.suffix in ('.dll', '.dylib') else '.so'}": library.read_bytes()}
    for header in sorted((ROOT / "include" / "sinew").glob("*.h")):
        files[f"{NAME}/include/sinew/{header.name}"] = header.read_bytes()
    files[f"{info}/METADATA"] = metadata().encode()
    files[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: sinew\nRoot-Is-Purelib: false\nTag: {tag()}\n".encode()
    rows = []
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        rows.append(f"{name},sha256={digest},{len(content)}")
    files[f"{info}/RECORD"] = "\n".join([*rows, f"{info}/RECORD,,", ""]).encode()
    wheel = f"{NAME}-{version()}-{tag()}.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as out:
        for name, content in files.items():  # the same bytes from the same sources
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            out.writestr(entry, content)
    return wheel


def get_requires_for_build_wheel(config_settings=None):
    return []


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("there is no source distribution: build the wheel from a checkout")


if __name__ == "__main__":
    target = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "out")
    target.mkdir(parents=True, exist_ok=True)
    print(target / build_wheel(target))
