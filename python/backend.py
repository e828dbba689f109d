"""Builds the wheel: what 'pip install .' and 'make wheel' call (PEP 517, PEP 660 without editable installs).

It needs CMake and a C compiler and no package of Python's, so it works without a network and with any CPython from 3.9 on. The
wheel holds the shared library, the headers that the module reads, and type stubs made from both. It is for the platform that it
was built on and for every Python there, since the library is called through ctypes.

Where jansson and Embree are installed the library has the tools in it, and the wheel brings what these need in sinew/needed, numbered in
the order in which they are loaded, with their licences.
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
    """The shared library, with the tools if what they need is there, else alone. Returns its file."""
    for target, options in (("sinew_python", ("-DSN_BUILD_TOOLS=ON", "-DSN_BUILD_VIEW=OFF")),
                            ("sinew", ("-DBUILD_SHARED_LIBS=ON", "-DSN_BUILD_TOOLS=OFF"))):
        made = folder / target
        configured = subprocess.run(
            ["cmake", "-S", ROOT, "-B", made, "-DCMAKE_BUILD_TYPE=Release", "-DSN_BUILD_TESTS=OFF", "-DSN_INSTALL=OFF",
             "--log-level=WARNING", *options, *(["-G", "Ninja"] if shutil.which("ninja") else [])],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL if target == "sinew_python" else None)
        if configured.returncode == 0:
            break
    else:
        sys.exit("cmake could not configure the library")
    subprocess.run(["cmake", "--build", made, "--config", "Release", "--target", target, "--parallel",
                    os.environ.get("JOBS", str(os.cpu_count()))], check=True, stdout=subprocess.DEVNULL)
    for pattern in ("libsinew*.so", "libsinew*.dylib", "libsinew*.dll", "sinew*.dll"):
        for found in sorted(made.rglob(pattern)):
            return found.resolve()
    sys.exit(f"the build left no library in {made}")


SYSTEM = ("linux-vdso", "ld-linux", "libc.so", "libm.so", "libpthread", "libdl.so", "librt.so", "libgcc_s", "libstdc++")


def needed(library, found=None):
    """What a library needs besides what every system has, each file after what it needs itself."""
    found = [] if found is None else found
    if sys.platform != "linux":
        return found
    said = subprocess.run(["readelf", "-d", library], stdout=subprocess.PIPE, text=True, check=True).stdout
    paths = subprocess.run(["ldd", library], stdout=subprocess.PIPE, text=True, check=True).stdout
    for name in re.findall(r"\(NEEDED\).*\[(.+)\]", said):
        path = re.search(rf"{re.escape(name)} => (\S+)", paths)
        if name.startswith(SYSTEM) or not path or any(name == p.name for p in found):
            continue
        needed(pathlib.Path(path[1]), found)
        found.append(pathlib.Path(path[1]))
    return found


def licence_of(path):
    """The text that Debian has beside a library; None: there is none."""
    owner = subprocess.run(["dpkg-query", "-S", path.resolve()], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) \
        if shutil.which("dpkg-query") else None
    copyright = pathlib.Path("/usr/share/doc") / owner.stdout.split(":")[0] / "copyright" if owner and owner.stdout else None
    return copyright.read_bytes() if copyright and copyright.is_file() else None


def stubs(kind):
    return subprocess.run([sys.executable, ROOT / "scripts" / "bindings", kind, ROOT / "include" / "sinew"], check=True,
                          stdout=subprocess.PIPE).stdout


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    library = build_library(pathlib.Path(os.environ.get("BUILD", ROOT / "build")) / "wheel")
    info = f"{NAME}-{version()}.dist-info"
    files = {f"{NAME}/{source.name}": source.read_bytes() for source in sorted((ROOT / "python" / NAME).glob("*.py"))}
    files |= {f"{NAME}/__init__.pyi": stubs("pyi"), f"{NAME}/tools.pyi": stubs("pyi-tools"), f"{NAME}/py.typed": b"",
              f"{NAME}/{library.name}": library.read_bytes()}
    has_tools = "python" in library.name
    for folder in ("", "tools/") if has_tools else ("",):
        for header in sorted((ROOT / "include" / "sinew" / folder).glob("*.h")):
            files[f"{NAME}/include/sinew/{folder}{header.name}"] = header.read_bytes()
    for number, path in enumerate(needed(library) if has_tools else ()):
        files[f"{NAME}/needed/{number:02}-{path.name}"] = path.read_bytes()
        text = licence_of(path)
        if text:
            files[f"{info}/licenses/{path.name}"] = text
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
