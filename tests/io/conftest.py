from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pytest

from scorecast.exceptions import InvalidInputError


@pytest.fixture(scope="session")
def refusal() -> Callable[..., InvalidInputError]:
    """Call a function that must refuse its input; return the error, of one line."""

    def call(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        with pytest.raises(InvalidInputError) as caught:
            function(*args, **kwargs)
        message = str(caught.value)
        assert "\n" not in message
        assert "\r" not in message
        assert "pickle=" not in message
        assert "allow_pickle" not in message
        return caught.value

    return call


@pytest.fixture(scope="session")
def memory_below() -> Callable[[int], AbstractContextManager[None]]:
    """Fail if the block takes more memory than stated."""

    @contextmanager
    def limit(n_bytes: int) -> Iterator[None]:
        tracemalloc.start()
        try:
            yield
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak < n_bytes

    return limit
