// The local time before the UTC time in the tooltip of an age; English dates are written as the site writes them.
const { lang } = document.documentElement;
const format = new Intl.DateTimeFormat(lang === "en" ? "en-GB" : lang, { dateStyle: "medium", timeStyle: "short" });

for (const time of document.querySelectorAll("time[title]")) {
  time.title = `${format.format(new Date(time.dateTime))} (${time.title})`;
}
