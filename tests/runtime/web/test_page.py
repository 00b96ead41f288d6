"""The page in a real browser: find a session, read it, go on with it, decide, fork."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from ...support.scripted_replies import Call, Reply, say
from ...support.strict_server import StrictServer

CHROMIUM = shutil.which("chromium")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    with api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    page = browser.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    yield page
    page.close()
    assert problems == []


def begin(page: Any, url: str, text: str) -> None:
    page.goto(f"{url}/new")
    page.fill("textarea", text)
    page.click("text=Start")
    page.wait_for_selector("button[type=submit]:not([disabled])")


def test_a_session_is_begun_found_and_gone_on_with(page: Any, url: str, model: StrictServer) -> None:
    model.extend(say("There is one file: notes.txt."), say("You asked what is here."))
    begin(page, url, "what is here?")
    assert "There is one file" in page.inner_text("#live")
    page.goto(f"{url}/?q=what")
    page.click("text=what is here?")
    assert "There is one file" in page.inner_text(".turns")
    assert "Continuing session" in page.inner_text(".composer")
    page.fill("textarea", "what did I ask?")
    page.click("text=Continue this session")
    page.wait_for_selector("text=You asked what is here.")
    assert len(model.requests[1]["input"]) == 3


def test_a_call_that_waits_is_approved_by_a_click_and_the_run_goes_on(page: Any, url: str, model: StrictServer) -> None:
    model.extend(Reply(calls=(Call("run_command", {"command": "echo from-the-command"}),)), say("It said so."))
    begin(page, url, "run it")
    page.click("text=Approve")
    page.wait_for_selector("text=It said so.")
    assert "from-the-command" in str(model.requests[1]["input"])


def test_a_fork_opens_as_a_session_of_its_own(page: Any, url: str, model: StrictServer) -> None:
    begin(page, url, "hello")
    page.goto(url)
    page.click(".row")
    page.wait_for_selector(".heading")
    first = page.url
    page.click("[data-fork] >> nth=-1")
    page.wait_for_url(lambda address: address != first)
    assert "forked from" in page.inner_text(".heading")


def test_what_a_session_says_is_shown_as_text_and_never_run(page: Any, url: str, model: StrictServer) -> None:
    model.extend(say("<script>document.title='broken'</script><img src=x onerror=\"document.title='broken'\">"))
    begin(page, url, "<b id=evil>hello</b>")
    page.goto(url)
    page.click(".row")
    page.wait_for_selector(".heading")
    assert page.title() != "broken"
    assert page.query_selector("#evil") is None
    assert "<script>" in page.inner_text(".turns")


def test_an_error_of_the_service_is_told_with_its_remedy(page: Any, url: str, model: StrictServer) -> None:
    model.extend(Reply(status=400, error="the model is away"))
    begin(page, url, "hello")
    assert "the model is away" in page.inner_text(".problem")
    assert "POST /api/agent" in page.inner_text(".problem")
