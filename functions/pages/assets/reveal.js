// The recipient's page of a sealed text. No view is claimed before the key in the address is known to fit.
"use strict";
{
const main = () => document.querySelector("main"), one = (css) => main().querySelector(css);
// Says one thing in place of the others: what is missing, or what went wrong.
const tell = (name) => {
  for (const part of main().querySelectorAll("[data-tells]")) part.hidden = part.dataset.tells !== name;
};
const decrypt = async (page) => {
  const secret = page.querySelector("#payload");
  if (secret) secret.textContent = await sealing.open(secret.textContent, sealing.fragment());
  return Boolean(secret);
};
// Shows the form, or the secret if this is its page.
const show = async () => {
  const box = one("[data-key-id]"), key = sealing.fragment();
  if (!box) return;
  const fits = key && (await sealing.fits(key, box.dataset.keyId).catch(() => false));
  const isOpen = fits && (await decrypt(box).then(() => true, () => false));
  box.hidden = !isOpen;
  tell(isOpen ? "" : fits ? "broken" : key ? "other" : "part");
  if (!isOpen) return;
  sealing.keep();
  box.querySelector("[autofocus]")?.focus();
};
// Puts the page of an answer in the place of this one; the address stays, and so does the key.
const put = (page) => {
  document.title = page.title;
  main().replaceWith(page.querySelector("main"));
  prepare();
};
document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.matches("[data-key-id]")) return;
  event.preventDefault();
  wait(form, event.submitter);
  try {
    const answer = await fetch(location.pathname + location.search, { method: "POST", body: new URLSearchParams(new FormData(form)) });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html"), box = page.querySelector("[data-key-id]");
    if (!page.querySelector("main")) throw Error("page");
    // Within the lease, the same form gets the same answer again.
    if (page.querySelector("#payload") && !(await decrypt(page).catch(() => false))) return tell("broken");
    if (page.querySelector("#payload")) box.hidden = false;
    put(page);
    if (box?.hidden) await show(); // the form again
  } catch {
    tell("lost");
  } finally {
    resume(form);
  }
}, { capture: true });
window.addEventListener("hashchange", () => {
  if (sealing.fragment()) location.reload(); // another key was pasted into the address
});
show();
}
