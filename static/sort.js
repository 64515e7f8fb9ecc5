// Save the groups of an article as soon as one is pressed or typed; without script, the button below the list saves all.
const form = document.querySelector("[data-sort]");
const saving = new WeakMap();

async function save(row) {
  const body = new URLSearchParams({ csrf_token: form.elements.csrf_token.value });
  row.querySelectorAll("input:not([type=checkbox]), :checked").forEach(({ name, value }) => body.append(name, value));
  const response = await fetch("/sort", { method: "POST", headers: { Accept: "application/json" }, body });
  const { saved, failed, error } = await response.json();
  const [result] = Object.values(saved ?? {});
  if (result) row.querySelector("[data-shown]").value = result.groups;
  const [refusal] = Object.values(failed ?? {});
  return [error ?? (refusal && { message: refusal }), result?.message];
}

// One after the other: each names the groups that the one before left.
form?.addEventListener("change", ({ target }) => {
  const row = target.closest("[data-row]");
  // "No group fits" and groups exclude each other.
  if (target.checked) row.querySelectorAll(":checked").forEach((box) => {
    if ((box.value === "!") !== (target.value === "!")) box.checked = false;
  });
  const last = saving.get(row) ?? Promise.resolve();
  saving.set(row, last.then(() => save(row)).catch(() => [{ message: form.dataset.sort }]).then(([error, message]) => {
    const place = row.querySelector("[data-message]");
    if (error?.html) place.innerHTML = error.html;
    else place.textContent = error?.message ?? message ?? "";
    place.classList.toggle("error", Boolean(error));
  }));
});
