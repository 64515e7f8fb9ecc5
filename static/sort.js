// Save the groups of an article as soon as one is pressed or typed; without script, the button below the list saves all.
const form = document.querySelector("[data-sort]");
const saving = new WeakMap();

async function save(row) {
  const fields = new URLSearchParams({ csrf_token: form.elements.csrf_token.value });
  row.querySelectorAll("input:not([type=checkbox]), :checked").forEach(({ name, value }) => fields.append(name, value));
  const message = row.querySelector("[data-message]");
  const id = row.id.slice(1);
  let error = form.dataset.sort;
  try {
    const response = await fetch("/sort", { method: "POST", headers: { Accept: "application/json" }, body: fields });
    const result = await response.json();
    error = result.error?.message ?? result.failed?.[id];
    if (result.saved?.[id]) {
      row.querySelector("[data-shown]").value = result.saved[id].groups;
      message.textContent = result.saved[id].message;
    }
  } catch {
    // The message says what to do.
  }
  if (error) message.textContent = error;
  message.classList.toggle("error", Boolean(error));
}

// One after the other: each names the groups that the one before left.
form.addEventListener("change", ({ target }) => {
  const row = target.closest("[data-row]");
  saving.set(row, (saving.get(row) ?? Promise.resolve()).then(() => save(row)));
});
