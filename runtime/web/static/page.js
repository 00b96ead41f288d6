// Runs over POST + server-sent events: a dropped connection comes back with Last-Event-ID and hears only what it missed.
"use strict";

const live = document.getElementById("live");
const composer = document.getElementById("composer");
const stop = document.getElementById("interrupt");
let sessionId = composer?.dataset.session || "";
let lastId = null;
let text = null;
const calls = new Map();

function add(tag, name, content, into = live) {
  const made = document.createElement(tag);
  if (name) made.className = name;
  if (content !== undefined) made.textContent = content;
  into.append(made);
  return made;
}

async function post(path, body, headers = {}) {
  return fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body ?? {}),
  });
}

function problem(message, remedy) {
  add("div", "problem", [message, remedy].filter(Boolean).join(" "));
}

const told = {
  run_started(event) { sessionId = event.sessionId; },
  text_delta(event) {
    if (!text) {
      text = add("div", "text", "", add("div", "said agent"));
    }
    text.textContent = text.textContent.slice(0, event.offset) + event.text;
  },
  assistant_message(event) {
    if (!text) text = add("div", "text", "", add("div", "said agent"));
    text.textContent = event.text;
    text = null;
  },
  tool_use(event) {
    const box = add("details", "call open");
    const summary = add("summary", "", undefined, box);
    add("span", "dot", undefined, summary);
    add("b", "", event.name, summary);
    const given = typeof event.arguments === "string" ? event.arguments : JSON.stringify(event.arguments);
    add("span", "preview", given, summary);
    add("pre", "", given, box);
    calls.set(event.callId, box);
  },
  tool_result(event) {
    const box = calls.get(event.callId);
    if (!box) return;
    box.className = event.isError ? "call bad" : "call";
    add("pre", "result", typeof event.output === "string" ? event.output : JSON.stringify(event.output), box);
  },
  approval_requested(event) {
    const box = add("div", "card waiting decision");
    box.dataset.call = event.callId;
    const asked = event.questions?.[0]?.text || `${event.tool} asks for your approval.`;
    add("p", "", asked, box);
    const choices = event.questions?.[0]?.choices || [];
    if (event.kind === "question") {
      for (const choice of choices) decision(box, "answer", choice, choice);
    } else {
      decision(box, "approve", "Approve");
      decision(box, "refuse", "Refuse");
    }
  },
  retry(event) { add("div", "mark", `The service failed (${event.message}); trying again.`); },
  compacted() { add("div", "mark", "The context was replaced by a summary."); },
  repaired(event) { add("div", "mark", `Call ${event.callId} was interrupted before; the model is told so.`); },
  error(event) { problem(event.message, event.remedy); },
  run_finished(event) {
    if (event.status === "interrupted") add("div", "mark", "Interrupted.");
    if (event.status === "waiting") add("div", "mark", "Waiting for you.");
  },
};

function decision(box, kind, label, answer) {
  const button = add("button", kind === "approve" ? "button primary" : "button", label, box);
  button.dataset.decide = kind;
  if (answer) button.dataset.answer = answer;
}

async function read(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let ended = false;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return ended;
    rest += value;
    const parts = rest.split(/\r?\n\r?\n/);
    rest = parts.pop();
    for (const part of parts) {
      const event = { data: "" };
      for (const line of part.split(/\r?\n/)) {
        const at = line.indexOf(":");
        if (at > 0) event[line.slice(0, at)] = line.slice(at + 1).replace(/^ /, "");
      }
      if (!event.data) continue;
      if (event.id) lastId = event.id;
      const data = JSON.parse(event.data);
      ended = ended || data.type === "run_finished" || data.type === "error";
      told[data.type]?.(data);
    }
  }
}

async function run(input) {
  const fields = new FormData(composer);
  const body = { input };
  if (sessionId) body.sessionId = sessionId;
  for (const name of ["model", "permissionMode"]) if (fields.get(name)) body[name] = fields.get(name);
  busy(true);
  text = null;
  lastId = null;
  try {
    if (input) add("div", "text", input, add("div", "said user"));
    let ended = await read(await post("/api/agent/stream", body)).catch(() => false);
    for (let tries = 0; !ended && sessionId && lastId !== null && tries < 5; tries++) {
      await new Promise((wake) => setTimeout(wake, 500 * 2 ** tries));
      const again = post("/api/agent/stream", { sessionId }, { "Last-Event-ID": lastId });
      ended = await again.then(read).catch(() => false);
    }
    if (!ended) problem("The connection was lost.", "Load the page again: nothing is lost.");
  } finally {
    busy(false);
  }
}

function busy(on) {
  composer.querySelector("button[type=submit]").disabled = on;
  stop.hidden = !on;
}

composer?.addEventListener("submit", (event) => {
  event.preventDefault();
  const field = composer.elements.input;
  const given = field.value.trim();
  if (!given && !sessionId) return;
  field.value = "";
  run(given || null);
});
composer?.elements.input.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) composer.requestSubmit();
});
stop?.addEventListener("click", () => post(`/api/sessions/${encodeURI(sessionId)}/interrupt`));

document.addEventListener("click", async (event) => {
  const { fork, rewind, decide, answer } = event.target.dataset ?? {};
  if (fork) {
    const answered = await (await post(`/api/sessions/${encodeURI(sessionId)}/fork`, { pointer: fork })).json();
    if (answered.error) problem(answered.error.message, answered.error.remedy);
    else location.href = `/sessions/${encodeURI(answered.session_id)}`;
  } else if (rewind) {
    if (!confirm(`Move this session back to ${rewind}? Nothing is destroyed.`)) return;
    const answered = await (await post(`/api/sessions/${encodeURI(sessionId)}/rewind`, { pointer: rewind, scope: "conversation" })).json();
    if (answered.error) problem(answered.error.message, answered.error.remedy);
    else location.reload();
  } else if (decide) {
    const box = event.target.closest(".decision");
    const path = `/api/sessions/${encodeURI(sessionId)}/approvals/${encodeURIComponent(box.dataset.call)}`;
    const answered = await (await post(path, { decision: decide, answer })).json();
    if (answered.error) return problem(answered.error.message, answered.error.remedy);
    box.remove();
    if (!answered.remaining?.length) run(null);
  }
});
