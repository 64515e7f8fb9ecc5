// Keep what is written in forms of articles and comments: in this tab until it is sent, by the address of the form and the
// name of the field. What is being typed counts more, and a value with data-draft="given". Ctrl+Enter sends the form.
// A draft opens its form again, unless that was left by Cancel.
const PREFIX = "voteweb-draft:";
const CANCELED = "~";
const SENT_KEY = "voteweb-sent";
const storage = openStorage();

// A browser may refuse to store anything: then drafts last as long as the page.
function openStorage() {
  try {
    return sessionStorage;
  } catch {
    return { getItem: () => null, setItem: () => {}, removeItem: () => {} };
  }
}

function keyOf(field) {
  return `${prefixOf(field.form)}${field.name}`;
}

function prefixOf(form) {
  return `${PREFIX}${new URL(form.action).pathname}#`;
}

function keep(field) {
  try {
    storage.removeItem(keyOf(field) + CANCELED);
    if (field.value) storage.setItem(keyOf(field), field.value);
    else storage.removeItem(keyOf(field));
  } catch {
    // Without storage, or when it is full, there are no drafts.
  }
}

function restore(field) {
  const draft = storage.getItem(keyOf(field)) ?? storage.getItem(keyOf(field) + CANCELED);
  const given = field.value;
  if (!draft || field.dataset.draft === "given" || (given !== field.defaultValue && field.matches(":focus"))) return;
  // A quotation that was asked for, which ends with an empty line, follows what was written before it.
  field.value = /^>[^]*\n\n$/.test(given) && !draft.includes(given.trim()) ? `${draft.trimEnd()}\n\n${given}` : draft;
  const details = field.closest("details");
  if (details && storage.getItem(keyOf(field))) details.open = true;
}

function cancel(field) {
  const draft = storage.getItem(keyOf(field));
  if (!draft) return;
  storage.setItem(keyOf(field) + CANCELED, draft);
  storage.removeItem(keyOf(field));
}

// The form of a reply is behind a link.
function reopen() {
  for (const link of document.querySelectorAll("a[data-reply]:not([href*='quote=1'])")) {
    const prefix = `${PREFIX}${link.pathname}#`;
    if (!Object.keys(storage).some((key) => key.startsWith(prefix) && !key.endsWith(CANCELED))) continue;
    link.dispatchEvent(new Event("voteweb-draft", { bubbles: true }));
  }
}

function forgetSent() {
  const sent = storage.getItem(SENT_KEY);
  storage.removeItem(SENT_KEY);
  // What was sent leads to a comment, in a conversation or the inbox, or to the article; any other page gives it back, or
  // could not be reached.
  const place = sent === `${PREFIX}/submit#` ? location.pathname : location.hash;
  if (sent && /^(#c(\d+-)?|\/a\/)\d+$/.test(place)) forget(sent);
}

function forget(prefix) {
  for (const key of Object.keys(storage)) if (key.startsWith(prefix)) storage.removeItem(key);
}

document.addEventListener("input", (event) => {
  if (event.target.matches("[data-draft]")) keep(event.target);
});

document.addEventListener("submit", (event) => {
  const fields = event.target.querySelectorAll("[data-draft]");
  if (new URL(event.target.action).pathname === "/logout") forget(PREFIX);
  fields.forEach(keep);
  if (!fields.length || event.submitter?.name === "preview" || event.submitter?.hasAttribute("data-ask")) return;
  storage.setItem(SENT_KEY, prefixOf(event.target));
});

document.addEventListener("click", ({ target }) => {
  target.closest("[data-cancel]")?.closest("form").querySelectorAll("[data-draft]").forEach(cancel);
});

document.addEventListener("keydown", (event) => {
  // An input method takes Enter for itself; some browsers tell so only by the code 229.
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.isComposing || event.keyCode === 229) return;
  if (!event.target.matches("[data-draft]") || event.repeat) return;
  event.preventDefault();
  event.target.form.requestSubmit(event.target.form.querySelector("button:not([name])"));
});

// replies.js opens more forms later.
document.addEventListener("voteweb-form", (event) => event.target.querySelectorAll("[data-draft]").forEach(restore));
// Back from a page that could not be reached: nothing was sent.
addEventListener("pageshow", (event) => event.persisted && storage.removeItem(SENT_KEY));
forgetSent();
document.addEventListener("DOMContentLoaded", reopen); // once replies.js listens
document.querySelectorAll("[data-draft]").forEach(restore);
