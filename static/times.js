// The local time before the UTC time in the tooltip of an age.
const format = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });

for (const time of document.querySelectorAll("time[title]")) {
  time.title = `${format.format(new Date(time.dateTime))} (${time.title})`;
}
