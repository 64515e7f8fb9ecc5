// Send a moderator's form in a row, and put the row of the answer in its place.
async function send(form, row) {
  const response = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) });
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const seen = page.querySelector(".error-page [name=seen]"); // others have decided: a second press does it all the same
  if (seen) form.elements.seen.value = seen.value;
  if (!response.ok) return page.querySelector("[role=alert], .error-page .intro")?.textContent.trim();
  if (new URL(response.url).pathname !== location.pathname) return form.submit(); // the session has ended
  const fresh = page.getElementById(row.id);
  const status = page.querySelector("[data-status]");
  if (status.children.length) document.querySelector("[data-status]").replaceChildren(...status.children);
  if (!fresh) return row.remove();
  row.replaceWith(document.adoptNode(fresh));
  fresh.querySelector("summary")?.focus({ preventScroll: true });
}

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.matches("[data-moderate]")) return;
  event.preventDefault();
  const row = form.closest(".article");
  const error = await send(form, row).catch(() => form.dataset.moderate);
  if (error) row.querySelector("[data-message]").textContent = error;
  row.querySelector("[data-message]").classList.toggle("error", Boolean(error));
});
