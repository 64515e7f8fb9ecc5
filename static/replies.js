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

async function open(link) {
  const actions = link.closest(".comment-actions");
  const form = await fetchForm(link);
  form.action = new URL(form.getAttribute("action"), link.href);
  form.classList.add("reply-form");
  renameIds(form, `-${link.closest("[id]").id}`);
  if (actions.nextElementSibling?.matches(".reply-form")) actions.nextElementSibling.remove();
  actions.after(form);
  form.dispatchEvent(new Event("voteweb-form", { bubbles: true }));
  const field = form.querySelector("[data-draft]");
  field.focus();
  field.setSelectionRange(field.value.length, field.value.length);
  form.scrollIntoView({ block: "nearest" });
}

document.addEventListener("click", async (event) => {
  const link = event.target.closest(".comment-actions a[data-reply]");
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  if (isOpening) return;
  isOpening = true;
  await open(link).catch(() => location.assign(link.href));
  isOpening = false;
});
