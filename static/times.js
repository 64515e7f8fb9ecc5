// Times in the text are local ones, with the UTC time in the tooltip; in the tooltip of an age both stand. English dates are
// written as the site writes them.
const { lang } = document.documentElement;
const format = new Intl.DateTimeFormat(lang === "en" ? "en-GB" : lang, { dateStyle: "medium", timeStyle: "short" });

for (const time of document.querySelectorAll("time")) {
  const local = format.format(new Date(time.dateTime));
  if (time.title) {
    time.title = `${local} (${time.title})`;
  } else {
    time.title = time.textContent;
    time.textContent = local;
  }
}
