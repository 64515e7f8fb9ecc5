// Vote without leaving the page: the button answers at once, and takes that back if the site refuses or cannot be reached.
// Save and hide articles in the same way; what was hidden can be shown again in its place.
const TIMEOUT = 10_000;
const OPPOSITES = { save: "unsave", unsave: "save", hide: "unhide" };
const hiddenRows = new WeakMap();
const status = document.querySelector("[data-status]");
// The forms of the buttons outside of any; those of a page's own article or comment are sent as these.
const [voteForm, ownForm] = ["vote", "own"].map((id) => document.getElementById(id));

function announce({ message, html }, className = "flash error vote-error") {
  const paragraph = document.createElement("p");
  paragraph.className = className;
  if (html) paragraph.innerHTML = html;
  else paragraph.textContent = message;
  status.replaceChildren(paragraph);
}

function show(button, votes, voted) {
  const count = button.querySelector("[data-votes]");
  const number = votes.toLocaleString(document.documentElement.lang);
  button.ariaLabel = button.ariaLabel.slice(0, -count.textContent.length) + number;
  count.textContent = number;
  button.setAttribute("aria-pressed", String(voted));
  // The address is of an article or of a comment: only its last part changes.
  button.setAttribute("formaction", button.getAttribute("formaction").replace(/[^/]*$/, voted ? "unvote" : "vote"));
}

async function send(address, form) {
  const response = await fetch(address, {
    method: "POST",
    headers: { Accept: "application/json" },
    body: new URLSearchParams(new FormData(form)),
    keepalive: true,
    signal: AbortSignal.timeout(TIMEOUT),
  });
  // The session has ended: the page for logging in casts the vote afterwards.
  if (response.status === 401) {
    form.setAttribute("action", address);
    form.submit();
  }
  return response.json();
}

async function change(button, form) {
  const address = button.formAction;
  const voted = button.getAttribute("aria-pressed") !== "true";
  const votes = Number(button.querySelector("[data-votes]").textContent.replace(/\D/g, ""));
  show(button, votes + (voted ? 1 : -1), voted);
  try {
    const { error, ...now } = await send(address, form);
    show(button, now.votes ?? votes, now.voted ?? !voted);
    if (error) announce(error);
    else announce({ message: `${voted ? form.dataset.counted : form.dataset.taken} ${button.ariaLabel}` }, "visually-hidden");
  } catch {
    show(button, votes, !voted);
    announce({ message: form.dataset.failed });
  }
}

async function choose(button, form) {
  const [, path, act] = /(.*\/)(.*)/.exec(button.getAttribute("formaction"));
  const row = button.closest(".article");
  const { error, message } = await send(button.formAction, form).catch(() => ({ error: { message: form.dataset.failed } }));
  if (error) return announce(error);
  announce({ message }, "visually-hidden");
  if (act === "unhide") {
    row.replaceChildren(...hiddenRows.get(row));
    return row.querySelector("[formaction$='/hide']").focus();
  }
  const next = act === "hide" ? button.cloneNode() : button;
  next.setAttribute("formaction", path + OPPOSITES[act]);
  next.textContent = form.dataset[OPPOSITES[act]];
  if (next === button) return;
  next.removeAttribute("aria-busy");
  const line = document.createElement("p");
  line.className = "meta";
  line.append(message, next);
  hiddenRows.set(row, [...row.childNodes]);
  row.replaceChildren(line);
  next.focus();
}

document.addEventListener("submit", async (event) => {
  const button = event.submitter;
  const isVote = button?.matches("button.vote");
  const form = isVote ? voteForm : button?.matches(".articles [formaction$='hide'], [formaction$='save']") ? ownForm : null;
  // A reader's form has no CSRF token: the browser submits it, which leads to the log-in page and back.
  if (!form?.elements.csrf_token) return;
  event.preventDefault();
  if (button.getAttribute("aria-busy") === "true") return;
  button.setAttribute("aria-busy", "true");
  await (isVote ? change : choose)(button, form);
  button.removeAttribute("aria-busy");
});
