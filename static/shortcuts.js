// Keyboard shortcuts: they move the focus and press buttons of the page, and never act while somebody types.
const STORAGE_KEY = "voteweb-keys-off";
const TARGETS = { f: "/", n: "/new", g: "/groups" };
const dialog = document.querySelector("[data-shortcuts]");
const titles = [...document.querySelectorAll(".article .title")];
let isAfterG = false;

function isOff() {
  return localStorage.getItem(STORAGE_KEY) === "1";
}

function currentArticle() {
  return document.activeElement.closest(".article") ?? document.querySelector(".article:target");
}

function moveFocus(step) {
  const article = currentArticle();
  const index = titles.findIndex((title) => article?.contains(title));
  const first = step > 0 ? 0 : titles.length - 1;
  const title = titles[index < 0 ? first : index + step];
  title?.focus();
  title?.closest(".article").scrollIntoView({ block: "nearest" });
}

function pressVoteButton() {
  const article = currentArticle() ?? document.querySelector(".article-detail");
  article?.querySelector("button.vote")?.click();
}

const ACTIONS = {
  j: () => moveFocus(1),
  k: () => moveFocus(-1),
  o: () => currentArticle()?.querySelector(".title")?.click(),
  v: pressVoteButton,
  "?": () => dialog.showModal(),
  "/": () => dialog.showModal(),
};

function isTyping(target) {
  return target.isContentEditable || target.closest("input, textarea, select, dialog");
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing || isTyping(event.target) || isOff()) return;
  if (isAfterG && TARGETS[event.key]) {
    location.assign(TARGETS[event.key]);
    return;
  }
  isAfterG = event.key === "g";
  if (!Object.hasOwn(ACTIONS, event.key)) return;
  event.preventDefault();
  ACTIONS[event.key]();
});

const checkbox = dialog.querySelector("input");
checkbox.checked = !isOff();
checkbox.addEventListener("change", () => localStorage.setItem(STORAGE_KEY, checkbox.checked ? "0" : "1"));

// The dialog must open without a shortcut too: on devices without a keyboard, and where shortcuts are switched off.
const openButton = document.querySelector("[data-shortcuts-open]");
openButton.hidden = false;
openButton.addEventListener("click", () => dialog.showModal());
