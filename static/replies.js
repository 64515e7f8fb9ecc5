// Open the form of a reply below the comment: fetch its page and take the form; if that fails, the link leads there.
let isOpening = false;

// Several forms on one page must not share ids.
function renameIds(form, suffix) {
  const ids = new Set([...form.querySelectorAll("[id]")].map((element) => element.id));
  for (const element of form.querySelectorAll("[id], [for], [aria-describedby], [aria-labelledby]")) {
    for (const name of ["id", "for", "aria-describedby", "aria-labelledby"]) {
      const value = element.getAttribute(name);
      if (value) element.setAttribute(name, value.split(" ").map((id) => (ids.has(id) ? id + suffix : id)).join(" "));
    }
  }
}

async function fetchForm(link) {
  const response = await fetch(link.href, { headers: { Accept: "text/html" } });
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const form = page.querySelector("form [data-draft]")?.form;
  if (!response.ok || !form) throw new Error(response.status);
  return document.importNode(form, true);
}

function quotation(words) {
  return `${words.trim().replace(/^/gm, "> ")}\n\n`;
}

// The selected words of the comment that a link quotes.
function selectedWords(link) {
  const text = link.search.includes("quote=1") && link.closest(".comment")?.querySelector(".text");
  const { isCollapsed, anchorNode, focusNode } = getSelection();
  return text && !isCollapsed && text.contains(anchorNode) && text.contains(focusNode) ? String(getSelection()) : "";
}

async function open(link, words = "") {
  const actions = link.closest(".comment-actions");
  const form = await fetchForm(link);
  form.action = new URL(form.getAttribute("action"), link.href);
  form.classList.add("reply-form");
  form.dataset.from = link.href;
  renameIds(form, `-${link.closest("[id]").id}`);
  if (actions.nextElementSibling?.matches(".reply-form")) actions.nextElementSibling.remove();
  actions.after(form);
  const field = form.querySelector("[data-draft]");
  if (words) field.value = quotation(words);
  form.dispatchEvent(new Event("voteweb-form", { bubbles: true }));
  return field;
}

function show(field) {
  field.focus();
  field.setSelectionRange(field.value.length, field.value.length);
  field.form.scrollIntoView({ block: "nearest" });
}

const leave = (form) => form.querySelector("[data-cancel]").click();

function cancel(form) {
  const box = form.closest(".write-comment");
  if (box) {
    box.open = false;
    return box.querySelector("summary").focus();
  }
  form.previousElementSibling.querySelector("a[data-reply]").focus();
  form.remove();
}

// To press a link takes the selection away.
let pressed = ["", null];
document.addEventListener("pointerdown", ({ target }) => {
  const link = target.closest("a[data-reply]");
  pressed = [link ? selectedWords(link) : "", link];
});

document.addEventListener("click", async (event) => {
  const link = event.target.closest(".comment-actions a[data-reply], :is(.reply-form, .write-comment) a[data-cancel]");
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  if (link.matches("[data-cancel]")) return cancel(link.closest("form"));
  const opened = link.closest(".comment-actions").nextElementSibling;
  if (opened?.matches(".reply-form") && opened.dataset.from === link.href) return leave(opened);
  if (isOpening) return;
  isOpening = true;
  const words = selectedWords(link) || (pressed[1] === link ? pressed[0] : "");
  await open(link, words).then(show, () => location.assign(link.href));
  isOpening = false;
});

document.addEventListener("keydown", ({ key, target }) => {
  const form = key === "Escape" && target.closest(".reply-form, .write-comment");
  if (form) leave(form);
});

// The form of a new comment, which opens without script, too.
document.addEventListener("click", ({ target }) => {
  const details = target.closest(".write-comment > summary")?.parentElement;
  if (details && !details.open) setTimeout(() => show(details.querySelector("[data-draft]")));
});

// There is a draft of this reply: see drafts.js.
document.addEventListener("voteweb-draft", ({ target }) => open(target).catch(() => {}));
