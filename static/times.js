// Times are local, with UTC in the tooltip, where an age has both; English dates are as the site writes them.
const { lang } = document.documentElement;
const format = new Intl.DateTimeFormat(lang === "en" ? "en-GB" : lang, { dateStyle: "medium", timeStyle: "short" });

function localize(time) {
  if (time.dataset.local) return;
  time.dataset.local = 1;
  const local = format.format(new Date(time.dateTime));
  if (time.title) {
    time.title = `${local} (${time.title})`;
  } else {
    time.title = time.textContent;
    time.textContent = local;
  }
}

document.querySelectorAll("time").forEach(localize);
// Scripts add some.
new MutationObserver((changes) => {
  for (const { addedNodes } of changes) for (const node of addedNodes) node.querySelectorAll?.("time").forEach(localize);
}).observe(document.body, { childList: true, subtree: true });
