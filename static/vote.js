// A vote without leaving the page: the same form is sent by fetch; if that fails, it is submitted as usual.
const form = document.querySelector("[data-vote]");
const status = document.querySelector("[data-status]");

function say(words) {
  const line = document.createElement("p");
  line.className = "visually-hidden";
  line.textContent = words;
  status.replaceChildren(line);
}

function show(button, { id, votes, voted }) {
  button.querySelector("[data-votes]").textContent = votes.toLocaleString(document.documentElement.lang);
  button.setAttribute("aria-pressed", String(voted));
  button.setAttribute("formaction", `/a/${id}/${voted ? "unvote" : "vote"}`);
}

async function send(button) {
  const answer = await fetch(button.formAction, {
    method: "POST",
    headers: { Accept: "application/json" },
    body: new URLSearchParams(new FormData(form)),
  });
  if (!answer.ok) throw new Error(answer.status);
  return answer.json();
}

form?.addEventListener("submit", async (event) => {
  const button = event.submitter;
  // A reader's form has no token: its way leads to log-in and back, which is a page of its own.
  if (!button || !form.elements.csrf_token) return;
  event.preventDefault();
  if (button.getAttribute("aria-busy") === "true") return;
  button.setAttribute("aria-busy", "true");
  try {
    const state = await send(button);
    show(button, state);
    say(`${state.voted ? form.dataset.counted : form.dataset.taken} ${button.textContent}`);
  } catch {
    form.action = button.formAction;
    form.submit();
  } finally {
    button.removeAttribute("aria-busy");
  }
});
