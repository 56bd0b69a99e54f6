"""The commands of a thread: check the form, call the service, answer."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse

from chatapp import services
from chatapp.forms import (
    EditForm,
    MessageForm,
    NewThreadForm,
    QueuedForm,
    QueueForm,
    RecoverForm,
    RegenerateForm,
    RenameForm,
)
from chatapp.models import Thread
from chatapp.views.access import (
    SeeOther,
    answer_command,
    command,
    get_thread,
    is_plain_form,
    is_script,
    owner_of,
    valid,
)
from chatapp.views.drafts import put_back


@command
def create(request: HttpRequest) -> HttpResponse:
    form = valid(NewThreadForm(request.POST)).cleaned_data
    thread = services.new_thread(
        owner_of(request), form["text"], client_id=form["client_id"], assistant=form["assistant"]
    )
    if is_script(request):
        return JsonResponse({"thread": str(thread.id), "url": url_of(thread)}, status=201)
    return SeeOther(url_of(thread))


@command
def send(request: HttpRequest, thread_id: UUID) -> HttpResponse:
    thread = get_thread(request, thread_id)
    form = valid(MessageForm(request.POST)).cleaned_data
    sent = services.send(thread, form["text"], client_id=form["client_id"])
    return answer_sent(request, thread, sent)


@command
def stop(request: HttpRequest, thread_id: UUID) -> HttpResponse:
    thread = get_thread(request, thread_id)
    services.stop(thread)
    return answer_command(request, url_of(thread), {"thread": str(thread.id)})


@command
def edit(request: HttpRequest, thread_id: UUID) -> HttpResponse:
    thread = get_thread(request, thread_id)
    form = valid(EditForm(request.POST)).cleaned_data
    sent = services.edit(thread, form["ref"], form["text"], client_id=form["client_id"])
    return answer_sent(request, thread, sent)


@command
def regenerate(request: HttpRequest, thread_id: UUID) -> HttpResponse:
    thread = get_thread(request, thread_id)
    form = valid(RegenerateForm(request.POST)).cleaned_data
    sent = services.regenerate(thread, client_id=form["client_id"])
    return answer_sent(request, thread, sent)


@command
def recover(request: HttpRequest, thread_id: UUID) -> HttpResponse:
    thread = get_thread(request, thread_id)
    form = valid(RecoverForm(request.POST)).cleaned_data
    recovered = services.recover(thread, form["action"])
    if recovered.text and is_plain_form(request):
        put_back(request, thread, recovered.text)
    return answer_command(request, url_of(thread), {"thread": str(thread.id), "text": recovered.text})


@command
def rename(request: HttpRequest, thread_id: UUID) -> HttpResponse:
    thread = get_thread(request, thread_id)
    form = valid(RenameForm(request.POST)).cleaned_data
    services.rename(thread, form["title"])
    thread.refresh_from_db(fields=["title"])
    return answer_command(request, url_of(thread), {"thread": str(thread.id), "title": thread.title})


@command
def delete(request: HttpRequest, thread_id: UUID) -> HttpResponse:
    thread = get_thread(request, thread_id)
    services.delete(thread)
    return answer_command(request, reverse("home"), {"thread": str(thread_id), "url": reverse("home")})


@command
def queue(request: HttpRequest, thread_id: UUID) -> HttpResponse:
    thread = get_thread(request, thread_id)
    valid(QueueForm(request.POST))
    services.go_on(thread)
    return answer_command(request, url_of(thread), {"thread": str(thread.id)})


@command
def queued(request: HttpRequest, thread_id: UUID, message_id: UUID) -> HttpResponse:
    thread = get_thread(request, thread_id)
    form = valid(QueuedForm(request.POST)).cleaned_data
    if form["action"] == "withdraw":
        text = services.withdraw(thread, message_id)
    else:
        text = form["text"]
        services.edit_queued(thread, message_id, text)
    return answer_command(request, url_of(thread), {"thread": str(thread.id), "text": text})


def answer_sent(request: HttpRequest, thread: Thread, sent: services.Sent) -> HttpResponse:
    url = url_of(thread)
    data = {"thread": str(thread.id), "run_id": sent.run_id, "queued": sent.queued, "url": url}
    return answer_command(request, url, data)


def url_of(thread: Thread) -> str:
    return reverse("thread", args=[thread.id])
