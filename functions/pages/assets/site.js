// Comfort only: every page works without this file. Its words stand in the page, in the page's language.
"use strict";

const statusLine = document.querySelector("[data-status]");
let clearing;
function say(text) {
  statusLine.textContent = text;
  clearTimeout(clearing);
  clearing = setTimeout(() => { statusLine.textContent = ""; }, 6000);
}

// The reader's own way to write the page's language, such as the order of day and month.
const tag = document.documentElement.lang;
const tags = [navigator.languages.find((one) => one.split("-")[0] === tag.split("-")[0]) ?? tag];
for (const time of document.querySelectorAll("time")) {
  time.title = time.textContent;
  time.textContent = new Date(time.dateTime).toLocaleString(tags, { dateStyle: "medium", timeStyle: "short" });
}

for (const button of document.querySelectorAll("[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", () => copy(document.getElementById(button.dataset.copy)));
}
async function copy(source) {
  try {
    await navigator.clipboard.writeText(source.value ?? source.textContent);
    say(statusLine.dataset.copied);
  } catch { // refused, or not there, as on a page that came over plain http
    const blurred = source.closest(".secret")?.querySelector("#unblur");
    if (blurred) blurred.checked = true; // what is blurred cannot be selected
    if (source.select) source.select();
    else getSelection().selectAllChildren(source);
    say(statusLine.dataset.selected);
  }
}

// Seconds that run down, by the browser's clock, so that a computer that slept has not stopped them. Within the element,
// [data-while] is shown until they are over and [data-over] from then on; [data-wait] can be pressed only then, and the
// forms that lead to a download only until then.
for (const element of document.querySelectorAll("[data-seconds]")) {
  const end = Date.now() + Number(element.dataset.seconds) * 1000;
  const all = (selector) => element.querySelectorAll(selector);
  const count = () => {
    const left = Math.max(0, Math.ceil((end - Date.now()) / 1000));
    for (const one of all("[data-left]")) one.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
    for (const one of all("[data-while]")) one.hidden = !left;
    for (const one of all("[data-over]")) one.hidden = left;
    for (const one of all("[data-wait]")) one.disabled = left;
    if (left) return;
    clearInterval(ticking);
    for (const one of all("[data-stays] button")) one.disabled = true;
  };
  const ticking = setInterval(count, 1000);
  element.addEventListener("click", count, { capture: true }); // the clock may have stood still until this very press
  count();
}

// A form on its way: its pressed button says so, and a second press does nothing. The button is not disabled, since
// the browser would leave its name and value out.
const PATIENCE = 30_000; // milliseconds, the gateway's own: no answer comes later, and a form must not stay as it is
const pressed = new Map();

function wait(form, submitter) {
  const button = submitter && !submitter.hidden ? submitter : form.querySelector("button:not([hidden], [name])");
  pressed.set(form, { button, words: [...(button?.childNodes ?? [])] });
  if (!button) return;
  button.setAttribute("aria-busy", "true");
  button.replaceChildren(button.dataset.busy ?? statusLine.dataset.busy);
}

function resume(form) {
  const { button, words } = pressed.get(form) ?? {};
  pressed.delete(form);
  button?.removeAttribute("aria-busy");
  button?.replaceChildren(...words);
}

document.addEventListener("submit", (event) => {
  if (!pressed.has(event.target)) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}, { capture: true });
document.addEventListener("submit", (event) => {
  if (event.defaultPrevented || "stays" in event.target.dataset) return; // a download leaves the page as it is
  wait(event.target, event.submitter);
  setTimeout(resume, PATIENCE, event.target);
});
// A page that the browser has kept is shown as it was left: with its button still pressed.
window.addEventListener("pageshow", () => { for (const form of [...pressed.keys()]) resume(form); });

// Over plain http, browsers drop the cookies that signing in needs.
if (!isSecureContext) for (const notice of document.querySelectorAll("[data-insecure]")) notice.hidden = false;
