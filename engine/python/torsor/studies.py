"""Studies: many runs of a scene."""

from __future__ import annotations

import ctypes
import os
from typing import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from . import _library as c
from ._engine import engine
from ._functions import Functions
from .recording import Columns, _Memory


class Study(Columns):
    """The table of a study: a mapping from parameters and outcomes to arrays over the samples.
    Columns of text are arrays of str. Samples that have not been run are NaN, or "" in these."""

    def __init__(self, handle: c.Pointer):
        lib = c.lib
        memory = _Memory(handle, "torsor_study_destroy")
        names = c.names(lib.torsor_study_name, handle)
        samples = lib.torsor_study_samples(handle)
        super().__init__(memory.array(lib.torsor_study_values(handle), (samples, len(names))),
                         names, c.names(lib.torsor_study_unit, handle))
        self.parameters = names[:lib.torsor_study_parameters(handle)]
        self.outcomes = names[len(self.parameters):]
        self._labels = {name: c.names(lib.torsor_study_label, handle, k)
                        for k, name in enumerate(names)}
        #: Status of each sample: "done", "failed", ...
        self.status = np.array(c.names(lib.torsor_study_status, handle))
        #: Why samples failed: sample -> message.
        self.messages = {k: message for k in range(samples)
                         if (message := c.text(lib.torsor_study_message(handle, k)))}
        #: A hash of all results, the same for any number of threads.
        self.hash = lib.torsor_study_hash(handle)

    def __getitem__(self, name: str) -> NDArray:
        values = super().__getitem__(name)
        labels = self._labels.get(name)
        if not labels:
            return values
        return np.array(["" if np.isnan(k) else labels[int(k)] for k in values])

    def __repr__(self) -> str:
        return f"<torsor.Study of {len(self.status)} samples: {', '.join(self.columns)}>"


def read_study(file: str | os.PathLike) -> Study:
    """Reads the table of a study, .h5."""
    return Study(c.create("torsor_study_read", c.encoded(file)))


def study(scene: str | os.PathLike, out: str | os.PathLike, *, samples: int = 0, seed: int = 0,
          design: str = "random", grid: Mapping[str, Sequence[object]] = {}, jobs: int = 0,
          existing: str = "error", limit: float = 0, solver: str | None = None,
          constraint_solver: str | None = None, integrator: str | None = None, dt: float = 0,
          duration: float = 0, progress: Callable[[int, int], object] | None = None,
          parameters: Mapping[str, object] = {}, **more: object) -> Study:
    """Runs a scene many times, on all cores, and returns the table that it writes to `out`, .h5.

    samples, design, seed: samples of the distributions of the scene; design is "random", "latin",
    "sobol" or "saltelli". grid: values of parameters; every combination is a sample.
    jobs: number of threads, at most 4096; 0: one for each core. The results are the same for
    any number.
    existing: what to do if the table exists: "error", "resume" or "replace".
    limit: wall time of a sample, s. progress: called with the numbers of samples done and of all.
    parameters, and other keywords: parameters of the scene that do not vary.
    """
    functions = Functions()

    def report(_, done: int, every: int) -> int:
        return functions.guarded(lambda: progress and progress(done, every))

    choices = ["error", "resume", "replace"]
    if existing not in choices:
        raise ValueError(f"existing is '{existing}'; it must be one of {', '.join(choices)}")
    samples, seed = c.whole(samples, "samples"), c.whole(seed, "seed")
    jobs = c.whole(jobs, "jobs", most=2**32 - 1)
    given, axes = c.settings(parameters, more), c.settings(grid)
    callback = c.Progress(report)
    options = c.struct(c.StudyOptions, jobs=jobs, settings=given, n_settings=len(given),
                       solver=c.encoded(solver), constraint_solver=c.encoded(constraint_solver),
                       integrator=c.encoded(integrator), dt=dt, duration=duration, samples=samples,
                       seed=seed, design=c.name(design, "design"), grid=axes, n_grid=len(axes),
                       existing=choices.index(existing), limit=limit, progress=callback)
    functions.call("torsor_study_run", engine()._handle, c.encoded(scene), c.encoded(out),
                   ctypes.byref(options), reports=True)
    return read_study(out)
