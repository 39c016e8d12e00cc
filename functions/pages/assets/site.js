// Comfort only: every page works without this file.
"use strict";

let clearing;
function say(text) {
  const status = document.querySelector("[data-status]");
  status.textContent = text;
  clearTimeout(clearing);
  clearing = setTimeout(() => { status.textContent = ""; }, 5000);
}

for (const time of document.querySelectorAll("time")) {
  const moment = new Date(time.dateTime);
  time.title = time.textContent;
  time.textContent = moment.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}
for (const button of document.querySelectorAll("[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const source = document.getElementById(button.dataset.copy);
    await navigator.clipboard.writeText(source.value ?? source.textContent);
    say("Copied.");
  });
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
  button.replaceChildren(button.dataset.busy ?? "One moment …");
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
  if (event.defaultPrevented) return;
  wait(event.target, event.submitter);
  setTimeout(resume, PATIENCE, event.target);
});
// A page that the browser has kept is shown as it was left: with its button still pressed.
window.addEventListener("pageshow", () => { for (const form of [...pressed.keys()]) resume(form); });
