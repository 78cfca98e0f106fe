"""Reading while the caller works: the next item of an iterator is made in a thread."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from threading import Thread
from typing import TypeVar

_Item = TypeVar("_Item")


def ahead(items: Iterator[_Item]) -> Generator[_Item, None, None]:
    """The items of an iterator, each made while the caller works with the one before it.

    What the iterator raises is raised where its item would stand. Closed early, it waits for the
    item that is being made; no thread is left when it ends.

    >>> list(ahead(iter([1, 2, 3])))
    [1, 2, 3]
    """
    ready: list[_Item] = []
    while True:
        made: list[_Item] = []
        failures: list[BaseException] = []
        thread = Thread(target=_take, args=(items, made, failures))
        thread.start()
        try:
            yield from ready
        finally:
            thread.join()
        if failures:
            raise failures[0]
        if not made:
            return
        ready = made


def _take(items: Iterator[_Item], made: list[_Item], failures: list[BaseException]) -> None:
    try:
        for item in items:
            made.append(item)
            return
    except BaseException as error:
        failures.append(error)
