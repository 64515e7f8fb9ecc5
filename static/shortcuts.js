// One-key shortcuts: they move the real focus and press the real buttons, and stay out of every field's way.
const OFF = "voteweb-keys-off";
const TARGETS = { f: "/", n: "/new", g: "/groups" };
const dialog = document.querySelector("[data-shortcuts]");
const titles = [...document.querySelectorAll(".article .title")];
let isAfterG = false;

function isOff() {
  return localStorage.getItem(OFF) === "1";
}

function current() {
  return document.activeElement.closest(".article") ?? document.querySelector(".article:target");
}

function move(step) {
  const here = current();
  const at = titles.findIndex((title) => here?.contains(title));
  const next = at < 0 ? titles[step > 0 ? 0 : titles.length - 1] : titles[at + step];
  next?.focus();
  next?.closest(".article").scrollIntoView({ block: "nearest" });
}

const ACTIONS = {
  j: () => move(1),
  k: () => move(-1),
  o: () => current()?.querySelector(".title")?.click(),
  v: () => (current() ?? document.querySelector(".article-detail"))?.querySelector("button.vote")?.click(),
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
  const act = Object.hasOwn(ACTIONS, event.key) ? ACTIONS[event.key] : null;
  if (!act) return;
  event.preventDefault();
  act();
});

const toggle = dialog.querySelector("input");
toggle.checked = !isOff();
toggle.addEventListener("change", () => localStorage.setItem(OFF, toggle.checked ? "0" : "1"));

// The way to the dialog for whoever has no keyboard shortcuts, or has switched them off.
const opener = document.querySelector("[data-shortcuts-open]");
opener.hidden = false;
opener.addEventListener("click", () => dialog.showModal());
