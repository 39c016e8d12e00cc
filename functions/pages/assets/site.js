// Common script of the pages. Every page works without it. Its texts are in the page, in the page's language.
"use strict";

const statusLine = document.querySelector("[data-status]");
let clearing;
function say(text) {
  statusLine.textContent = text;
  clearTimeout(clearing);
  clearing = setTimeout(() => { statusLine.textContent = ""; }, 6000);
}

// The reader's regional variant of the page's language, for the order of day and month.
const tag = document.documentElement.lang;
const tags = [navigator.languages.find((one) => one.split("-")[0] === tag.split("-")[0]) ?? tag];
// Called again where a script puts another page into this one (reveal.js).
function prepare() {
for (const time of document.querySelectorAll("time")) {
  time.title = time.textContent;
  time.textContent = new Date(time.dateTime).toLocaleString(tags, { dateStyle: "medium", timeStyle: "short", numberingSystem: "latn" });
}

for (const button of document.querySelectorAll("[data-copy]")) {
  button.hidden = false;
  if (button.autofocus || "focus" in button.dataset) button.focus(); // it was hidden when the browser looked for the field to focus
  button.addEventListener("click", () => copy(button, document.getElementById(button.dataset.copy)));
}
if (navigator.share) for (const button of document.querySelectorAll("[data-share]")) {
  button.hidden = false;
  const source = document.getElementById(button.dataset.share);
  button.addEventListener("click", () => navigator.share({ url: source.value }).catch((error) => {
    if (error.name !== "AbortError") copy(button, source); // closed without sharing
  }));
}
for (const button of document.querySelectorAll("[data-save]")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([document.getElementById(button.dataset.save).textContent], { type: "text/plain" }));
    link.download = "secret.txt";
    link.click();
    setTimeout(URL.revokeObjectURL, 10_000, link.href);
  });
}
guard();
document.querySelectorAll("[data-seconds]").forEach(countDown);
}
async function copy(button, source) {
  try {
    await navigator.clipboard.writeText(source.value ?? source.textContent);
    say(statusLine.dataset.copied);
    confirm(button);
  } catch { // the clipboard is denied, or missing, as over plain HTTP
    const blurred = source.closest(".secret")?.querySelector("#unblur");
    if (blurred) blurred.checked = true; // blurred text cannot be selected
    if (source.select) source.select();
    else getSelection().selectAllChildren(source);
    say(statusLine.dataset.selected);
  }
}

// The pressed button says for a while that it has copied.
const confirmed = new Set();
function confirm(button) {
  if (confirmed.has(button)) return;
  const words = [...button.childNodes];
  confirmed.add(button);
  button.style.minWidth = `${button.offsetWidth}px`;
  button.replaceChildren(statusLine.dataset.done);
  setTimeout(() => {
    confirmed.delete(button);
    button.replaceChildren(...words);
  }, 3000);
}

// A shown secret must come from us, and never from the browser's cache. See revealed.html.
// It keeps the key of a sealed one in the address.
function guard() {
  const shown = document.querySelector("[data-safe]");
  if (!shown) return;
  if ("once" in shown.dataset) history.replaceState(null, "", shown.dataset.safe);
  window.addEventListener("pagehide", () => { document.querySelector("main").hidden = true; });
  window.addEventListener("pageshow", (event) => { if (event.persisted) location.replace(shown.dataset.safe + location.hash); });
}

// Countdown by the browser's clock, so that it stays correct after the computer slept. Inside the element, [data-while]
// is visible during the countdown and [data-over] afterwards. [data-wait] is disabled during the countdown, the buttons
// of download forms afterwards.
function countDown(element) {
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
  element.addEventListener("click", count, { capture: true }); // after sleep, the timer may not have fired yet
  count();
}

// While a form is being submitted, its button shows that and a second press is ignored. The button is not disabled,
// because the browser would then omit its name and value.
const PATIENCE = 30_000; // milliseconds; the gateway's timeout, after which no response arrives and the form is usable again
const pressed = new Map();
const waiting = document.querySelector("[data-waiting]"); // read aloud, not shown

function wait(form, submitter) {
  const button = submitter && !submitter.hidden ? submitter : form.querySelector("button:not([hidden], [name], [type])");
  pressed.set(form, { button, words: [...(button?.childNodes ?? [])] });
  if (!button) return;
  button.setAttribute("aria-busy", "true");
  button.replaceChildren(waiting.textContent = button.dataset.busy ?? statusLine.dataset.busy);
}

function resume(form) {
  const { button, words } = pressed.get(form) ?? {};
  pressed.delete(form);
  waiting.textContent = "";
  button?.removeAttribute("aria-busy");
  button?.replaceChildren(...words);
}

document.addEventListener("submit", (event) => {
  if (!pressed.has(event.target)) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}, { capture: true });
document.addEventListener("submit", (event) => {
  if (event.defaultPrevented || "stays" in event.target.dataset) return; // a download does not leave the page
  wait(event.target, event.submitter);
  setTimeout(resume, PATIENCE, event.target);
});
// A page from the back/forward cache still has its button pressed.
window.addEventListener("pageshow", () => { for (const form of [...pressed.keys()]) resume(form); });

// Sign-in needs cookies with Secure. Whether they are kept shows by trying only: WebKit has `isSecureContext` on
// http://127.0.0.1, and drops them there.
const notice = document.querySelector("[data-insecure]");
if (notice?.hidden) {
  const cookie = "__Host-try=1; Path=/; Secure; SameSite=Lax";
  document.cookie = cookie;
  notice.hidden = document.cookie.includes("__Host-try");
  document.cookie = `${cookie}; Max-Age=0`;
}
prepare();
