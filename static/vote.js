// Vote without leaving the page: the button answers at once, and takes that back if the site refuses or cannot be reached.
const TIMEOUT = 10_000;
const status = document.querySelector("[data-status]");

function announce(message, className = "visually-hidden") {
  const paragraph = document.createElement("p");
  paragraph.className = className;
  paragraph.textContent = message;
  status.replaceChildren(paragraph);
}

function show(button, votes, voted) {
  button.querySelector("[data-votes]").textContent = votes.toLocaleString(document.documentElement.lang);
  button.setAttribute("aria-pressed", String(voted));
  // The address is of an article or of a comment: only its last part changes.
  button.setAttribute("formaction", button.getAttribute("formaction").replace(/[^/]*$/, voted ? "unvote" : "vote"));
}

function send(address, form) {
  return fetch(address, {
    method: "POST",
    headers: { Accept: "application/json" },
    body: new URLSearchParams(new FormData(form)),
    keepalive: true,
    signal: AbortSignal.timeout(TIMEOUT),
  });
}

async function change(button, form) {
  const address = button.formAction;
  const voted = button.getAttribute("aria-pressed") !== "true";
  const votes = Number(button.querySelector("[data-votes]").textContent.replace(/\D/g, ""));
  show(button, votes + (voted ? 1 : -1), voted);
  try {
    const response = await send(address, form);
    // The session has ended: the page for logging in casts the vote afterwards.
    if (response.status === 401) return form.setAttribute("action", address), form.submit();
    const { error, ...now } = await response.json();
    show(button, now.votes ?? votes, now.voted ?? !voted);
    if (error) announce(error.message, "flash error vote-error");
    else announce(`${voted ? form.dataset.counted : form.dataset.taken} ${button.textContent}`);
  } catch {
    show(button, votes, !voted);
    announce(form.dataset.failed, "flash error vote-error");
  }
}

document.addEventListener("submit", async (event) => {
  const button = event.submitter;
  // A reader's form has no CSRF token: the browser submits it, which leads to the log-in page and back.
  if (!event.target.matches("[data-vote]") || !button || !event.target.elements.csrf_token) return;
  event.preventDefault();
  if (button.getAttribute("aria-busy") === "true") return;
  button.setAttribute("aria-busy", "true");
  await change(button, event.target);
  button.removeAttribute("aria-busy");
});
