// Keep comments folded when their page is loaded again in this tab.
const KEY = `voteweb-folded:${location.pathname}`;

function stored() {
  try {
    return new Set(sessionStorage.getItem(KEY)?.split(" "));
  } catch {
    return new Set(); // a browser may refuse to store anything
  }
}

function keep(folded) {
  try {
    if (folded.size) sessionStorage.setItem(KEY, [...folded].join(" "));
    else sessionStorage.removeItem(KEY);
  } catch {
    // Then comments stay folded as long as the page.
  }
}

for (const id of stored()) {
  const details = document.querySelector(`#${CSS.escape(id)} > .replies`);
  if (details && !details.querySelector(":target")) details.open = false;
}

document.addEventListener("toggle", ({ target }) => {
  if (!target.matches(".replies")) return;
  const folded = stored();
  if (target.open) folded.delete(target.parentElement.id);
  else folded.add(target.parentElement.id);
  keep(folded);
}, true);
