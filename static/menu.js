// Close the member's menu at a press anywhere else, and at Escape.
const menu = document.querySelector(".menu");

if (menu) {
  document.addEventListener("click", ({ target }) => {
    if (!menu.contains(target)) menu.open = false;
  });
  menu.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape") return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });
}
