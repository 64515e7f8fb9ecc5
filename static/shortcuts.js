// Keyboard shortcuts: they move the focus and press buttons of the page, and never act while somebody types.
const STORAGE_KEY = "voteweb-keys-off";
const TARGETS = { f: "/", n: "/new", g: "/groups" };
const template = document.querySelector("[data-shortcuts]");
template.insertAdjacentHTML("afterend", template.textContent);
const openButton = template.nextElementSibling;
const dialog = openButton.nextElementSibling;
document.body.append(dialog);
const ITEMS = ".article, .comment";
const STOPS = ".article .title, .comment-head > a:last-of-type";
let isAfterG = false;

const isOff = () => localStorage.getItem(STORAGE_KEY) === "1";
const currentItem = () => document.activeElement.closest(ITEMS) ?? document.querySelector(`:is(${ITEMS}):target`);

// The elements of an item, without those of the replies inside it.
function inside(item, selector) {
  return [...(item?.querySelectorAll(selector) ?? [])].filter((element) => element.closest(ITEMS) === item);
}

function moveFocus(step) {
  const stops = [...document.querySelectorAll(STOPS)].filter((stop) => stop.checkVisibility());
  const item = currentItem();
  const index = stops.findIndex((stop) => stop.closest(ITEMS) === item);
  focusOn(stops[index < 0 ? (step > 0 ? 0 : stops.length - 1) : index + step]);
}

function focusOn(stop) {
  stop?.focus();
  stop?.closest(ITEMS).scrollIntoView({ block: "nearest" });
}

function nextNew() {
  const items = [...document.querySelectorAll(".comment")];
  const isNew = (item) => inside(item, "mark.new").length > 0;
  const after = items.slice(items.indexOf(currentItem()) + 1).find(isNew) ?? items.find(isNew);
  for (let details = inside(after, "details")[0] ?? after?.closest("details"); details; details = details.parentElement.closest("details")) {
    details.open = true;
  }
  focusOn(inside(after, STOPS)[0]);
}

function fold() {
  const details = inside(currentItem(), "details.replies")[0];
  if (details) details.open = !details.open;
}

function goToParent() {
  focusOn(inside(currentItem()?.parentElement.closest(".comment"), STOPS)[0]);
}

function reply() {
  const link = inside(currentItem(), "a[data-reply]")[0];
  const details = document.querySelector("#comments details:has([data-draft])");
  if (link) return link.click();
  if (details) details.open = true;
  details?.querySelector("[data-draft]").focus();
}

function pressVoteButton() {
  const item = currentItem();
  (item ? inside(item, "button.vote")[0] : document.querySelector(".article-detail button.vote"))?.click();
}

// The field of the page, else of its header; where the header has only a link, the page of search.
function search() {
  const field = [...document.querySelectorAll("[type=search]")].find((element) => element.checkVisibility());
  field?.focus();
  field?.select();
  if (!field) (document.querySelector("a.search-link") ?? openButton).click();
}

const ACTIONS = {
  j: () => moveFocus(1),
  k: () => moveFocus(-1),
  o: () => inside(currentItem(), STOPS)[0]?.click(),
  v: pressVoteButton,
  r: reply,
  x: fold,
  p: goToParent,
  n: nextNew,
  "?": () => dialog.showModal(),
  "/": search,
};

function isTyping(target) {
  return target.isContentEditable || target.closest("input, textarea, select, dialog");
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing || isTyping(event.target) || isOff()) return;
  if (isAfterG && TARGETS[event.key]) return location.assign(TARGETS[event.key]);
  isAfterG = event.key === "g";
  if (!Object.hasOwn(ACTIONS, event.key)) return;
  event.preventDefault();
  ACTIONS[event.key]();
});

const checkbox = dialog.querySelector("input");
checkbox.checked = !isOff();
checkbox.addEventListener("change", () => localStorage.setItem(STORAGE_KEY, checkbox.checked ? "0" : "1"));

// The dialog must open without a shortcut too: where these are switched off.
openButton.addEventListener("click", () => dialog.showModal());
