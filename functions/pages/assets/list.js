// Filters the list of pushes. Only what the page shows; the list works without this script.
"use strict";

const filter = document.querySelector("[data-filter]");
const field = filter.querySelector("input");
const said = filter.querySelector("[data-none]");
const rows = [...document.querySelectorAll("tbody > tr")].map((row) => {
  const cells = [...row.querySelectorAll("td:not(:has(.do))")];
  return { row, text: cells.map((cell) => cell.textContent).join(" ").toLocaleLowerCase() };
});

function show() {
  const words = field.value.toLocaleLowerCase().split(/\s+/);
  let shown = 0;
  for (const { row, text } of rows) {
    row.hidden = !words.every((word) => text.includes(word));
    shown += !row.hidden;
    for (const box of row.querySelectorAll("input")) box.disabled = row.hidden; // what is hidden is not expired
  }
  said.textContent = shown ? "" : said.dataset.none;
}
filter.hidden = false;
field.addEventListener("input", show);
show(); // after Back, browsers fill in the field

// Without a clipboard, as over plain HTTP, the link is on the push's own page.
if (!navigator.clipboard) for (const button of document.querySelectorAll(".do [data-copy]")) button.hidden = true;
