// Keep what is written in forms of comments: in this tab until it is sent, by the address of the form. Ctrl+Enter sends it.
const PREFIX = "voteweb-draft:";
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
  return PREFIX + new URL(field.form.action).pathname;
}

function keep(field) {
  try {
    if (field.value) storage.setItem(keyOf(field), field.value);
    else storage.removeItem(keyOf(field));
  } catch {
    // Without storage, or when it is full, there are no drafts.
  }
}

function restore(field) {
  const draft = storage.getItem(keyOf(field));
  const given = field.value;
  if (!draft || draft === given) return;
  // A quotation that was asked for, which ends with an empty line, follows what was written before it.
  field.value = /^>[^]*\n\n$/.test(given) && !draft.includes(given.trim()) ? `${draft.trimEnd()}\n\n${given}` : draft;
  const details = field.closest("details");
  if (details) details.open = true;
}

function forgetSent() {
  const key = storage.getItem(SENT_KEY);
  storage.removeItem(SENT_KEY);
  // What was sent is shown at its comment; any other page gives it back, or could not be reached.
  if (key && /^#c\d+$/.test(location.hash)) storage.removeItem(key);
}

function forgetAll() {
  for (const key of Object.keys(storage)) {
    if (key.startsWith(PREFIX)) storage.removeItem(key);
  }
}

document.addEventListener("input", (event) => {
  if (event.target.matches("[data-draft]")) keep(event.target);
});

document.addEventListener("submit", (event) => {
  const field = event.target.querySelector("[data-draft]");
  if (new URL(event.target.action).pathname === "/logout") forgetAll();
  if (!field) return;
  keep(field);
  if (event.submitter?.name !== "preview") storage.setItem(SENT_KEY, keyOf(field));
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
document.querySelectorAll("[data-draft]").forEach(restore);
