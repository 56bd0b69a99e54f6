"""Rows that are found by SQL of our own are those that the ORM finds."""

from uuid import uuid4

import pytest

from agents.stores.orm.transactions import writing
from chatapp.models import Receipt, Thread
from chatapp.models.by_hand import find, insert_receipt

pytestmark = pytest.mark.django_db(transaction=True)


def values_of(row):
    return {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}


@pytest.mark.parametrize("lock", [False, True])
def test_a_thread(thread, lock):
    known = Thread.objects.get(pk=thread.pk)
    with writing():
        found = find(Thread, lock=lock, id=thread.id, owner_id=thread.owner_id)
    assert values_of(found) == values_of(known)
    assert found == known
    found.title = "Another"
    found.save(update_fields=["title"])
    assert Thread.objects.get(pk=thread.pk).title == "Another"


def test_a_receipt_with_the_keys_of_other_rows(thread):
    client_id = uuid4()
    insert_receipt(
        owner_id=thread.owner_id, client_id=client_id, command="send", thread_id=thread.id, run_id="r"
    )
    found = find(Receipt, owner_id=thread.owner_id, client_id=client_id)
    assert values_of(found) == values_of(Receipt.objects.get())
    assert found is not None
    assert found.thread == thread


def test_what_is_not_there(thread):
    assert find(Thread, id=uuid4(), owner_id=thread.owner_id) is None
    assert find(Thread, id=thread.id, owner_id=thread.owner_id + 1) is None
