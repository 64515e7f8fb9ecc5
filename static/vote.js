// Vote without leaving the page: fetch sends the form; if that fails, the browser submits the form as usual.
const form = document.querySelector("[data-vote]");
const status = document.querySelector("[data-status]");

function announce(message) {
  const paragraph = document.createElement("p");
  paragraph.className = "visually-hidden";
  paragraph.textContent = message;
  status.replaceChildren(paragraph);
}

function update(button, { votes, voted }) {
  button.querySelector("[data-votes]").textContent = votes.toLocaleString(document.documentElement.lang);
  button.setAttribute("aria-pressed", String(voted));
  // The address is of an article or of a comment: only its last part changes.
  const address = button.getAttribute("formaction").replace(/[^/]*$/, voted ? "unvote" : "vote");
  button.setAttribute("formaction", address);
}

async function send(button) {
  const response = await fetch(button.formAction, {
    method: "POST",
    headers: { Accept: "application/json" },
    body: new URLSearchParams(new FormData(form)),
  });
  if (!response.ok) throw new Error(response.status);
  return response.json();
}

form?.addEventListener("submit", async (event) => {
  const button = event.submitter;
  // A reader's form has no CSRF token: the browser submits it, which leads to the log-in page and back.
  if (!button || !form.elements.csrf_token) return;
  event.preventDefault();
  if (button.getAttribute("aria-busy") === "true") return;
  button.setAttribute("aria-busy", "true");
  try {
    const result = await send(button);
    update(button, result);
    announce(`${result.voted ? form.dataset.counted : form.dataset.taken} ${button.textContent}`);
  } catch {
    form.action = button.formAction;
    form.submit();
  } finally {
    button.removeAttribute("aria-busy");
  }
});
