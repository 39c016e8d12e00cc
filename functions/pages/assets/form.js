// What the forms at / and /a/… share. It begins send.js (shared/web/assets.py). `say`, `wait` and `resume` are in site.js.
"use strict";
const form = document.querySelector("[data-send]");
const one = (css) => form.querySelector(css);
const all = (css) => [...form.querySelectorAll(css)];
const on = (target, event, act) => target?.addEventListener(event, act);
const make = (tag, textContent, more) => Object.assign(document.createElement(tag), { textContent, ...more });
const words = JSON.parse(form.dataset.words);
const lang = `${document.documentElement.lang}-u-nu-latn`; // digits as the server writes them
const fill = (text, n) => text.replace(/{(\w+)}/g, (_, name) => n[name].toLocaleString(lang));
const payload = one("#payload"), files = one("#files"), options = one("#options");
on(form, "keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
});
on(window, "pageshow", (event) => {
  if (!event.persisted) return;
  // From the back/forward cache: remove the secret, then load the form again, with the last choices and a new key.
  for (const field of all("#payload, #passphrase, #name, #note, #files")) field.value = "";
  location.replace(location.pathname);
});

// An upper bound for the multipart/form-data body: each part has headers, and each line break becomes CR LF.
const size = (data) => {
  const bytes = (text) => new TextEncoder().encode(text.replace(/\r?\n/g, "\r\n")).length;
  return [...data].reduce((sum, [name, value]) => sum + 200 + bytes(name) + bytes(value.name ?? value) + (value.size ?? 0), 0);
};
const withoutFiles = () => {
  const data = new FormData(form);
  data.delete("push[files][]");
  return data;
};
const get = async (path, asked) => {
  const answer = await fetch(path, asked).catch(() => 0);
  if (!answer || (!asked && !answer.ok)) throw Error(words.lost);
  return answer;
};
// Show each problem next to its field, as the server would, and a message with links to them, which gets the focus.
const told = one("[data-problem]");
const tell = (...nodes) => {
  told.replaceChildren(...nodes);
  told.hidden = !nodes.length;
  if (nodes.length) told.focus();
};
const mark = (shown) => {
  document.querySelector("main > [role=alert]")?.remove();
  for (const old of all("span.problem")) old.remove();
  for (const field of all("[aria-invalid]")) {
    field.removeAttribute("aria-invalid");
    field.setAttribute("aria-describedby", (field.getAttribute("aria-describedby") ?? "").replace(/\S+-problem ?/, ""));
  }
  tell(...shown.map((problem) => {
    const field = problem.id && one(`[name^="push[${problem.id.slice(0, -8)}]"]`);
    if (!field?.labels) return problem;
    field.ariaInvalid = "true";
    field.setAttribute("aria-describedby", `${problem.id} ${field.getAttribute("aria-describedby") ?? ""}`);
    field.after(problem);
    if (options?.contains(field)) options.open = true;
    const item = make("p"), name = field.labels[0].innerText;
    item.append(make("a", `${name}: ${problem.textContent}`, { href: `#${field.id}` }));
    return item;
  }));
};
const problem = (field, textContent) => make("span", textContent, { className: "problem", id: `${field}-problem` });

// What the gateway would lose is said before it is sent. Offline, the browser's own page would replace the form.
const check = () => {
  if (!navigator.onLine) return words.lost;
  const texts = withoutFiles();
  if (size(texts) <= form.dataset.formBytes) return;
  const [[name]] = [...texts].sort(([, one], [, other]) => other.length - one.length);
  return problem(name.slice(5, -1), words.large);
};
on(form, "submit", (event) => {
  const refused = check();
  if (!refused) return;
  event.preventDefault();
  mark([refused]);
});

// More of this script, loaded when it is needed.
const loaded = {};
const load = (name) => loaded[name] ??= new Promise((onload, onerror) => {
  document.head.append(make("script", "", { src: form.dataset[name], onload, onerror }));
}).catch(() => {
  delete loaded[name];
  throw Error(words.lost);
});
if (!files) for (const name of ["dragover", "drop"]) on(document, name, (event) => {
  if (!event.dataTransfer.types.includes("Files")) return;
  event.preventDefault(); // otherwise the browser would open the file and drop what was typed
  say(one("[data-no-files]")?.textContent.trim() ?? "");
});
