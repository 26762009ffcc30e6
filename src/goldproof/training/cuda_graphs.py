"""Training steps captured in CUDA graphs, one for each padded length, or run plainly where there is no GPU. Imports
torch.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch

from goldproof.training.seed_stack import SeedStack

N_REHEARSALS = 3  # TorchScript, which some models use inside, settles at its third run
Doing = Callable[[], None]


def make_stepper(stack: SeedStack) -> Callable[[], None]:
    """A function that makes one step of all seeds."""
    if stack.shared.device.type == "cuda" and stack.shared.how.graphs:
        return GraphedSteps(stack)
    return stack.step


class GraphedSteps:
    """Steps that are captured at their first use and replayed afterwards.

    A batch that goes through whole is one graph for each padded length. Of one in parts, each length of a part has a
    graph that adds up gradients, and one more graph updates every seed by their sums. A step that cannot be captured (a
    model that waits for the device in its forward pass) is run plainly from then on; `stack.captured` says so.
    """

    def __init__(self, stack: SeedStack) -> None:
        self.stack = stack
        self.stack.captured = True
        self._graphs: dict[int, Any] = {}
        self._ending: Any = None
        self._pool: Any = None
        self._micro_batch = 0

    def __call__(self) -> None:
        """Make a step."""
        widths = self.stack.widths()
        if self.stack.captured:
            self._try_captures(widths)
        if not self.stack.captured:
            self.stack.step()
            return
        for width in widths:
            self._graphs[width].replay()
        if len(widths) > 1:
            self._ending.replay()

    def _try_captures(self, widths: tuple[int, ...]) -> None:
        if self._micro_batch != self.stack.micro_batch:
            self._micro_batch, self._ending = self.stack.micro_batch, None
            self._graphs.clear()
        try:
            self._capture_absent(widths)
        except torch.OutOfMemoryError:
            self._graphs.clear()  # so that their memory can be given back before it is tried with less
            self._ending = None
            raise
        except RuntimeError:
            torch.cuda.synchronize()
            self.stack.captured = False
            self._graphs.clear()

    def _capture_absent(self, widths: tuple[int, ...]) -> None:
        """Capture what this step needs, before its first part: a rehearsal leaves nothing behind."""
        stack, absent = self.stack, [width for width in dict.fromkeys(widths) if width not in self._graphs]
        if len(widths) == 1:
            for _ in absent:
                self._graphs[widths[0]] = self._capture(stack.step, partial(stack.rehearse, stack.step))
            return
        if absent:
            stack.begin_parts()
        for width in absent:
            self._graphs[width] = self._capture(partial(stack.add_part, width), partial(self._rehearse_part, width))
        if self._ending is None:
            self._ending = self._capture(stack.end_parts, partial(stack.rehearse, stack.end_parts))

    def _rehearse_part(self, width: int) -> None:
        self.stack.add_part(width)
        self.stack.begin_parts()

    def _capture(self, do: Doing, rehearse: Doing) -> Any:
        """Rehearse on a side stream, so that libraries set themselves up outside the graph; then capture.

        What was rehearsed once at one length needs little more at another.
        """
        stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(1 if self._graphs else N_REHEARSALS):
                rehearse()
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=self._pool):
            do()
        self._pool = self._pool or graph.pool()
        return graph
