// Copy the text of the file that the link before a button saves; a browser that refuses has the codes selected. Only pages
// of https, and those of this machine, can copy.
for (const button of document.querySelectorAll("[data-copy]")) {
  const { href } = button.previousElementSibling;
  button.hidden = !navigator.clipboard;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(decodeURIComponent(href.slice(href.indexOf(",") + 1)));
      button.textContent = button.dataset.copy;
    } catch {
      getSelection().selectAllChildren(document.querySelector(".codes"));
    }
  });
}
