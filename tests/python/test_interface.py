"""Compares the declarations of ctypes with torsor.h."""

import ctypes
import re

from torsor import _library as c


def header(root):
    return (root / "engine/capi/torsor.h").read_text()


def test_every_function_is_declared(root):
    declared = set(re.findall(r"TORSOR_API [\w* ]*?\b(torsor_\w+)\(", header(root)))
    assert declared == set(c._FUNCTIONS)


def test_functions_have_as_many_arguments_as_in_the_header(root):
    text = re.sub(r"/\*.*?\*/", "", header(root), flags=re.S)
    for name, arguments in re.findall(r"\b(torsor_\w+)\(([^()]*)\);", text):
        count = 0 if arguments.strip() == "void" else arguments.count(",") + 1
        assert len(c._FUNCTIONS[name][1]) == count, name


def test_structs_have_the_members_of_the_header(root):
    text = re.sub(r"/\*.*?\*/", "", header(root), flags=re.S)
    structs = dict((name, body) for body, name in
                   re.findall(r"typedef struct \w+ \{(.*?)\} torsor_(\w+);", text, flags=re.S))
    kinds = {"error": c.ErrorText, "engine_options": c.EngineOptions, "setting": c.Setting,
             "load_options": c.LoadOptions, "quantity_info": c.QuantityInfo,
             "result_info": c.ResultInfo, "states": c.States, "motions": c.Motions,
             "control_state": c.ControlState,
             "control": c.Control, "force_state": c.ForceState, "external_force": c.ExternalForce,
             "study_options": c.StudyOptions}
    assert set(structs) == set(kinds)
    for name, body in structs.items():
        members = []
        for declaration in body.split(";"):
            function = re.search(r"\(\*(\w+)\)", declaration)
            for part in [declaration] if function else declaration.split(","):
                word = function.group(1) if function else re.search(r"(\w+)(\[\w+\])?\s*$", part)
                if word:
                    members.append(word if function else word.group(1))
        assert [field[0] for field in kinds[name]._fields_] == members, name


def test_structs_have_the_sizes_of_c(root):
    table = re.search(r"size_t> expected = \{(.*?)\};", (root / "tests/capi/abi_test.cpp").read_text(),
                      flags=re.S).group(1)
    sizes = {name: int(size) for name, size in re.findall(r'"torsor_(\w+)",\s*(\d+)', table)}
    assert len(sizes) == 13
    for kind, name in [(c.EngineOptions, "engine_options"), (c.Setting, "setting"),
                       (c.LoadOptions, "load_options"), (c.QuantityInfo, "quantity_info"),
                       (c.ResultInfo, "result_info"), (c.States, "states"),
                       (c.Motions, "motions"),
                       (c.ControlState, "control_state"), (c.Control, "control"),
                       (c.ForceState, "force_state"), (c.ExternalForce, "external_force"),
                       (c.StudyOptions, "study_options")]:
        assert ctypes.sizeof(kind) == sizes[name], name
