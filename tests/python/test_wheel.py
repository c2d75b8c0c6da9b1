"""Makes a wheel and uses it without the build tree."""

import base64
import hashlib
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

BUILD = Path(os.environ["TORSOR_BUILD"])


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    root, out = Path(__file__).parents[2], tmp_path_factory.mktemp("wheel")
    done = subprocess.run(
        [sys.executable, root / "engine/python/make_wheel.py", "--version", "1.2.3",
         "--package", root / "engine/python/torsor", "--library", BUILD / "lib/libtorsor.so",
         "--plugins", BUILD / "lib/torsor/plugins", "--scripts", root / "scripts",
         "--license", root / "LICENSE", "--out", out], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return Path(done.stdout.strip())


def test_the_list_of_files_is_complete(wheel):
    with zipfile.ZipFile(wheel) as archive:
        record = archive.read("torsor-1.2.3.dist-info/RECORD").decode().splitlines()
        assert {line.split(",")[0] for line in record} == set(archive.namelist())
        for line in record[:-1]:
            name, digest, size = line.split(",")
            data = archive.read(name)
            expected = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            assert (digest, int(size)) == ("sha256=" + expected, len(data))
        assert b"Tag: py3-none-linux_" in archive.read("torsor-1.2.3.dist-info/WHEEL")


def test_it_works_alone(wheel, tmp_path):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    program = ("import torsor, torsor._library as c\n"
               "assert c.lib._name.startswith({0!r}), c.lib._name\n"
               "robot = torsor.robot({0!r} + '/torsor/native/share/torsor/scripts/robots/iiwa.lua')\n"
               "print(robot.mass_matrix([0] * 7).shape)\n").format(str(tmp_path))
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(tmp_path), "HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                          cwd=tmp_path, env=environment)
    assert (done.stdout, done.stderr) == ("(7, 7)\n", "")
