// The page with the link of a sealed text: the link, the QR code and the message are completed with the key in the address.
"use strict";
{
const box = document.querySelector("[data-key-id]"), link = box.querySelector("#link"), message = box.querySelector("#message");
const partOfLink = link.value, textOfMessage = message.value, select = box.querySelector("#push_locale");
const SVG = "http://www.w3.org/2000/svg", QUIET = 4; // modules around the symbol, as scanners need them

const drawn = (rows) => {
  const svg = document.createElementNS(SVG, "svg"), path = document.createElementNS(SVG, "path"), size = rows.length + 2 * QUIET;
  const runs = rows.flatMap((row, y) => [...row.join("").matchAll(/1+/g)].map((run) => `M${run.index + QUIET} ${y + QUIET}h${run[0].length}v1h-${run[0].length}z`));
  svg.setAttribute("class", "qr");
  svg.setAttribute("viewBox", `0 0 ${size} ${size}`);
  path.setAttribute("d", runs.join(""));
  svg.append(path);
  return svg;
};
const show = async () => {
  const key = sealing.fragment(), isWhole = key && (await sealing.fits(key, box.dataset.keyId).catch(() => false));
  for (const part of document.querySelectorAll("[data-whole]")) part.hidden = !isWhole;
  document.querySelector("[data-part]").hidden = isWhole;
  if (!isWhole) return;
  sealing.keep();
  link.value = `${partOfLink}#k=${key}`;
  message.value = textOfMessage.replace(partOfLink, () => link.value);
  const rows = qr(link.value);
  box.querySelector("figure").hidden = !rows;
  if (rows) box.querySelector("figure > div").replaceChildren(drawn(rows));
  box.querySelector("[data-copy]").focus();
};
// A form would leave out the key.
select.form.addEventListener("submit", (event) => {
  event.preventDefault();
  location.assign(`?${new URLSearchParams({ push_locale: select.value })}${location.hash}`);
});
if (new URLSearchParams(location.search).has("push_locale")) box.querySelector("#paste").open = true;
window.addEventListener("hashchange", show);
show();
}
