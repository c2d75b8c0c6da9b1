"""Runs the programs of docs/programs.md and the tutorial."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

BUILD = Path(os.environ["TORSOR_BUILD"])


def blocks(root, language):
    """Returns the programs of a language in the page."""
    text = (root / "docs/programs.md").read_text()
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.S | re.M)


def block(root, language):
    """Returns the only program of a language in the page."""
    found = blocks(root, language)
    assert len(found) == 1
    return found[0]


def output_of(*command, **options):
    """Runs a command, and returns its output."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_program_in_c(root, tmp_path):
    compiler = shutil.which("cc") or pytest.skip("there is no C compiler")
    (tmp_path / "program.c").write_text(block(root, "c"))
    output_of(compiler, "-std=c11", "-Wall", "-Wextra", "-Werror",
              "program.c", f"-I{BUILD}/include", f"-L{BUILD}/lib", "-ltorsor",
              f"-Wl,-rpath,{BUILD}/lib", "-o", "program", cwd=tmp_path)
    printed = output_of(tmp_path / "program", root / "scripts/robots/iiwa.lua",
                        root / "scenes/double_pendulum.lua")
    assert re.fullmatch(r"(-?[0-9.]+ ){7}t = 1 s\n", printed)


def test_the_program_in_rust(root, tmp_path):
    compiler = shutil.which("rustc") or pytest.skip("there is no Rust compiler")
    (tmp_path / "program.rs").write_text(block(root, "rust"))
    output_of(compiler, "-L", f"{BUILD}/lib", "-C", f"link-arg=-Wl,-rpath,{BUILD}/lib", "program.rs",
              cwd=tmp_path)
    printed = output_of(tmp_path / "program", root / "scripts/robots/iiwa.lua")
    assert re.fullmatch(r"g = \[([-0-9.e]+(, )?){7}\]\n", printed)


def test_the_program_in_julia(root, tmp_path):
    julia = shutil.which("julia") or pytest.skip("there is no Julia")
    (tmp_path / "program.jl").write_text(block(root, "julia"))
    environment = {**os.environ, "LD_LIBRARY_PATH": f"{BUILD}/lib"}
    printed = output_of(julia, "program.jl", root / "scripts/robots/iiwa.lua", cwd=tmp_path,
                        env=environment)
    assert "7×7 Matrix" in printed


def test_the_programs_in_python(root):
    printed = [output_of(sys.executable, "-c", code, cwd=root) for code in blocks(root, "python")]
    assert printed == ["[0.  0.1 0.2 0.3 0.4 0.5] (1000, 6, 7) \n", "1.1 (101, 2) rad\n"]


def test_the_tutorial(root, tmp_path):
    printed = output_of(sys.executable, root / "docs/python_tutorial.py", cwd=tmp_path)
    assert "did you mean 'gap'?" in printed
    assert (tmp_path / "pendulums.h5").exists()
