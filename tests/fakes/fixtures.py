"""pytest fixtures around the fakes; a conftest names this module in `pytest_plugins`."""

from collections.abc import Iterator

import pytest

from tests.fakes.model_server import ModelServer


@pytest.fixture(scope="session")
def _running_model_server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def model_server(_running_model_server: ModelServer) -> Iterator[ModelServer]:
    """The strict fake model server, empty at the start of the test. A history that it refused fails the test;
    a test that breaks one on purpose clears `model_server.requests` before it ends."""
    _running_model_server.reset()
    yield _running_model_server
    assert _running_model_server.refusals == []
