"""kalg compiles convolution kernels for machines without a cheap multiplier or a cache.

>>> import kalg
>>> program = kalg.optimize([[1, 0, -1], [2, 0, -2], [1, 0, -1]], target="scamp5", nodes=100)
>>> program.cycles, program.optimal
(5, True)
"""

from kalg._native import VERSION as __version__
from kalg.batches import Batch, batch
from kalg.benches import bench
from kalg.checks import Checked, check, replay
from kalg.errors import BadInput, InternalError, KalgError, NoProgram
from kalg.explanations import Explanation, Proof, explain, replay_proof
from kalg.filters import Approximation, Filter, approximated
from kalg.options import targets
from kalg.pipelines import Pipeline
from kalg.programs import Program, optimize
from kalg.rulesets import Findings, Rules
from kalg.runs import Noisy, run

__all__ = [
    "Approximation",
    "BadInput",
    "Batch",
    "Checked",
    "Explanation",
    "Filter",
    "Findings",
    "InternalError",
    "KalgError",
    "NoProgram",
    "Noisy",
    "Pipeline",
    "Program",
    "Proof",
    "Rules",
    "__version__",
    "approximated",
    "batch",
    "bench",
    "check",
    "explain",
    "optimize",
    "replay",
    "replay_proof",
    "run",
    "targets",
]
