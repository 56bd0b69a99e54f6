"""The Simplified Chinese interface: complete, compiled, and in the product's voice."""

import gettext
import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from django.conf import settings
from django.template.loader import render_to_string
from django.utils import translation

from agents.providers.demo.talk import is_chinese
from agents.providers.openai.config import ServerConfig
from agents.providers.openai.connection import Connections
from agents.testing import calls, text
from agents.tools.base import tool
from chatapp import assistants
from chatapp.history import reasons
from chatapp.history.reasons import failure
from chatapp.history.turns import Recover, Turn
from chatapp.templatetags.conversation import answer_name, duration, moment, names, saved_words
from tests.agents import demo
from tests.chatapp.catalogues import fields_of, read_po, texts_in_use
from tests.chatapp.conftest import send
from tests.chatapp.watching import in_thread, watching

CATALOGUE = Path(settings.BASE_DIR) / "locale" / "zh_Hans" / "LC_MESSAGES" / "django.po"
CHINESE: Any = {"headers": {"accept-language": "zh-CN,zh;q=0.9,en;q=0.8"}}
# Half-width marks at Chinese words, exclamations, "please" (and neither "request" nor "apply for").
NOT_OUR_VOICE = re.compile(r"[\u4e00-\u9fff][,.:;!?()]|[,.:;!?()][\u4e00-\u9fff]|！|(?<!申)请(?!求)|您")


@pytest.fixture
def chinese():
    with translation.override("zh-hans"):
        yield


def test_every_text_has_a_translation():
    missing = texts_in_use() - set(read_po(CATALOGUE))
    assert not missing, "make messages, then translate these"


def test_what_is_filled_in_stays():
    for words, said in read_po(CATALOGUE).items():
        if words.text:
            assert fields_of(said) == fields_of(words.plural or words.text), words


def test_the_compiled_catalogue_is_that_of_the_source():
    with CATALOGUE.with_suffix(".mo").open("rb") as file:
        compiled: Any = gettext.GNUTranslations(file)
    source = {words.key: said for words, said in read_po(CATALOGUE).items()}
    header = {"": compiled._catalog[""]}  # without the date of the source
    assert compiled._catalog == source | header, "make messages"


def test_it_speaks_in_the_products_voice():
    said = [said for words, said in read_po(CATALOGUE).items() if words.text]
    assert [words for words in said if NOT_OUR_VOICE.search(words)] == []


def test_a_chinese_browser_gets_a_chinese_page(client):
    page = client.get("/", **CHINESE).content.decode()
    assert '<html lang="zh-hans" dir="ltr"' in page
    assert "想做点什么？" in page
    assert ">演示助手</span>" in page
    assert "What shall we work on?" in client.get("/", headers={"accept-language": "de"}).content.decode()


@pytest.mark.parametrize("template", ["chatapp/_words.html", "chatapp/conversation/_words.html"])
def test_the_words_of_the_scripts_are_chinese_json(chinese, template):
    script = render_to_string(template)
    words = json.loads(script[script.index("{") : script.rindex("}") + 1])
    assert [key for key, word in words.items() if not is_chinese([word])] == [
        key for key in words if key in ("between", "composer.counted", "live.progress")
    ]


def test_the_demo_understands_the_examples(settings, chinese):
    settings.CHAT_MODEL = "demo"
    offered = [example.text for example in assistants.examples()]
    asked = [{name for name, _ in demo.calls(sentence)} for sentence in offered]
    assert all(is_chinese([sentence]) for sentence in offered)
    assert asked == [{"clock"}, {"calculator"}, {"add_note"}, {"slow_job"}]


def test_sentences_are_put_together_the_chinese_way(chinese):
    assert str(names(("a", "b", "c"))) == "<strong>a</strong>、<strong>b</strong>和<strong>c</strong>"
    assert answer_name(Turn("r", "stopped", None, (), assistant="Demo assistant")) == "演示助手，已停止"
    assert (duration(4.31), duration(125)) == ("4.3\u00a0秒", "2\u00a0分\u00a05\u00a0秒")
    assert (
        saved_words(Recover("interrupted", None, (), (), 2, False)) == "你的消息和 2 个完成的步骤都已保存。"
    )
    assert moment(datetime(2024, 5, 4, 14, 32, tzinfo=UTC)) == "2024年5月4日 14:32"


def test_what_the_engine_says_of_itself_is_translated(chinese):
    ours = {"type": "ProviderError", "message": "No key for the model server."}
    theirs = {"type": "ProviderError", "message": "The vendor's own words."}
    assert [failure(ours), failure(theirs)] == ["没有模型服务器的密钥。", "The vendor's own words."]


@pytest.mark.parametrize(
    ("language", "word"), [("zh-hans", "参数"), ("en", "Arguments"), ("xx", "Arguments")]
)
@pytest.mark.django_db(transaction=True)
async def test_the_rows_of_steps_come_in_the_language_of_the_page(client, script, thread, language, word):
    @tool
    def lookup(word: str) -> str:
        """Looks a word up."""
        return "found"

    script(calls(("lookup", {"word": "x"})), text("Done."), tools=[lookup])
    async with watching(client, thread.id, lang=language) as socket:
        await socket.frame()
        await in_thread(send, client, thread, "Go")
        frames = await socket.until("run_finished")
    rows = [frame["html"] for frame in frames if "html" in frame]
    assert [word in row for row in rows] == [True, True]


@pytest.mark.parametrize(
    "error", [aiohttp.InvalidURL("no such"), aiohttp.SocketTimeoutError(), OSError("cut")]
)
def test_what_the_network_did_is_said_in_chinese(chinese: None, error: Exception) -> None:
    trouble = Connections(ServerConfig(base_url="http://127.0.0.1:9/v1")).trouble(error)
    assert is_chinese(failure({"type": "ProviderError", "message": str(trouble)}))


def test_a_sentence_with_values_keeps_them(chinese: None) -> None:
    for sentence in reasons.WITH_VALUES:
        values = dict.fromkeys(re.findall(r"%\((\w+)\)s", sentence), "(a.b)\nc")
        told = reasons.said(sentence % values)
        assert told != sentence % values
        assert told.count("(a.b)\nc") == len(values) == 1
    assert reasons.said("What a server says of its own: 100%") == "What a server says of its own: 100%"
