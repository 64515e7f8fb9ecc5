// Ask the site about a new article before it is posted: the title of its link, whether that was posted, how the text will
// look. The site answers with the page of the form; what is inside its elements with data-part goes into this page.
const PAUSE = 700;
const form = document.querySelector("[data-posting]");
const { link, title } = form?.elements ?? {};
let lastLink = link?.value;
let titledLink = "";
let timer;

const looksLikeLink = () => /[^.\s]\.[^.\s]/.test(link.value);

async function ask(address, ...parts) {
  const response = await fetch(address, { method: "POST", body: new URLSearchParams(new FormData(form)) });
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  for (const part of parts) {
    const selector = `[data-part="${part}"]`;
    document.querySelector(selector).replaceChildren(...page.querySelector(selector).childNodes);
  }
  return page.querySelector("[data-posting]").elements;
}

function put(field, value) {
  if (field.value === value) return;
  field.value = value;
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

async function press(button) {
  const answer = await ask(button.formAction, "errors", "duplicate", "preview", "buttons");
  // Errors beside fields come and go with the whole page.
  if ([answer, form.elements].some(({ text, link }) => text.ariaInvalid || link.ariaInvalid)) {
    form.action = button.formAction;
    return form.submit();
  }
  titledLink = lastLink = answer.link.value;
  put(link, answer.link.value);
  if (answer.title.value === title.value) return;
  put(title, answer.title.value);
  title.focus();
}

form?.addEventListener("submit", async (event) => {
  const button = event.submitter;
  if (!button?.hasAttribute("data-ask")) return;
  event.preventDefault();
  if (button.ariaBusy) return;
  button.ariaBusy = "true";
  try {
    await press(button);
  } catch {
    const message = Object.assign(document.createElement("p"), { className: "error", textContent: form.dataset.offline });
    form.querySelector('[data-part="errors"]').replaceChildren(message);
  } finally {
    button.ariaBusy = null;
  }
});

link?.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(() => {
    if (link.value === lastLink || !looksLikeLink()) return;
    lastLink = link.value;
    ask(form.dataset.posting, "duplicate", "buttons").catch(() => {});
  }, PAUSE);
});

// The row has the button that asks for the title. One that cannot be fetched is no error here.
link?.parentElement.addEventListener("focusout", async (event) => {
  const button = form.querySelector('[formaction="/submit/title"]');
  if (!button || title.value || event.currentTarget.contains(event.relatedTarget)) return;
  if (link.value === titledLink || !looksLikeLink()) return;
  clearTimeout(timer);
  const asked = (titledLink = lastLink = link.value);
  const answer = await ask(button.formAction, "duplicate", "buttons").catch(() => null);
  if (answer && !title.value && link.value === asked) put(title, answer.title.value);
});
