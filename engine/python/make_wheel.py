#!/usr/bin/env python3
"""Makes the wheel of the package torsor: a zip file in the form of PEP 427. It contains the package,
libtorsor.so, the plugins and the scripts, so that the package works without an installation of the
engine. The libraries of Debian on which libtorsor.so depends are not part of it."""

import argparse
import base64
import hashlib
import platform
import zipfile
from pathlib import Path

METADATA = """Metadata-Version: 2.1
Name: torsor
Version: {version}
Summary: Plugin-based multibody dynamics engine
License: {license}
Requires-Python: >=3.9
Requires-Dist: numpy
"""


def files_of(options):
    """Yields (name in the wheel, file) for each file, sorted by name."""
    for file in sorted(options.package.rglob("*")):
        if file.suffix == ".py" or file.name == "py.typed":
            yield f"torsor/{file.relative_to(options.package)}", file
    native = "torsor/native"
    yield f"{native}/lib/libtorsor.so.1", options.library.resolve()
    for file in sorted(options.plugins.rglob("*.so")):
        yield f"{native}/lib/torsor/plugins/{file.relative_to(options.plugins)}", file
    for file in sorted(options.scripts.rglob("*.lua")):
        yield f"{native}/share/torsor/scripts/{file.relative_to(options.scripts)}", file


class Wheel:
    """A wheel that is written, with the hashes of its files."""

    def __init__(self, path):
        self.zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self.records = []

    def add(self, name, data):
        """Adds a file. Its time is constant, so that equal contents make equal wheels."""
        entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        entry.external_attr, entry.compress_type = 0o644 << 16, zipfile.ZIP_DEFLATED
        self.zip.writestr(entry, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.records.append(f"{name},sha256={digest},{len(data)}")

    def finish(self, info):
        """Adds the list of files."""
        name = f"{info}/RECORD"
        self.zip.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)),
                          "\n".join([*self.records, f"{name},,"]) + "\n")
        self.zip.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--version", required=True)
    for name in ("package", "library", "plugins", "scripts", "license", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    options = parser.parse_args()
    tag = f"py3-none-linux_{platform.machine()}"
    info = f"torsor-{options.version}.dist-info"
    options.out.mkdir(parents=True, exist_ok=True)
    path = options.out / f"torsor-{options.version}-{tag}.whl"
    wheel = Wheel(path)
    for name, file in files_of(options):
        wheel.add(name, file.read_bytes())
    title = options.license.read_text().strip().splitlines()[0].strip()
    wheel.add(f"{info}/LICENSE", options.license.read_bytes())
    wheel.add(f"{info}/METADATA",
              METADATA.format(version=options.version, license=title).encode())
    wheel.add(f"{info}/WHEEL", (f"Wheel-Version: 1.0\nGenerator: torsor {options.version}\n"
                                f"Root-Is-Purelib: false\nTag: {tag}\n").encode())
    wheel.finish(info)
    print(path)


if __name__ == "__main__":
    main()
