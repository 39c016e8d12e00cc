// The sender's form. It works without this script. Files are in upload.js. `say`, `wait` and `resume` are in site.js.
"use strict";
const sender = (() => {
const form = document.querySelector("[data-send]");
const one = (css) => form.querySelector(css);
const all = (css) => [...form.querySelectorAll(css)];
const on = (target, event, act) => target?.addEventListener(event, act);
const make = (tag, textContent, more) => Object.assign(document.createElement(tag), { textContent, ...more });
const words = JSON.parse(form.dataset.words), { formBytes } = form.dataset;
const lang = `${document.documentElement.lang}-u-nu-latn`; // digits as the server writes them
const fill = (text, n) => text.replace(/{(\w+)}/g, (_, name) => n[name].toLocaleString(lang));
const payload = one("#payload"), passphrase = one("#passphrase"), files = one("#files"), options = one("#options");
const seal = one("#seal"), onlyText = one("[data-only-text]");
const isSealed = () => seal.checked && !seal.disabled, isText = () => one("#kind-text").checked;

// Show what belongs to the selected kind and the input.
const update = () => {
  const kind = one("[name='push[kind]']:checked"), shown = one("[data-count]");
  if (files) files.disabled = kind.value !== "file"; // otherwise files chosen before would be sent with a text
  const limit = +(kind.dataset.limit ?? form.dataset.limit), length = [...payload.value].length;
  shown.textContent = fill(words.count, { length, limit });
  shown.classList.toggle("problem", length > limit);
  shown.hidden = length < limit * 0.8;
  onlyText.hidden = isText() || !isSealed();
  document.querySelector(".languages").hidden = isSealed() && payload.value !== ""; // they would send it
  one("[data-blanks]").hidden = passphrase.value === passphrase.value.trim();
  one("[data-bits]").textContent = fill(words.bits, { bits: bits() });
  one("[data-chosen]").textContent = all("[data-sum]").filter((field) => field.type === "checkbox" ? field.checked && !field.disabled : field.value)
    .map((field) => field.dataset.sum || field.selectedOptions[0].text).join(" · ");
};
on(form, "input", update);
on(form, "keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
});
on(window, "pageshow", (event) => {
  update(); // "Back" restores the fields
  if (!event.persisted) return;
  // From the back/forward cache: remove the secret, then load the form again, with the last choices and a new key.
  for (const field of all("#payload, #passphrase, #name, #note, #files")) field.value = "";
  location.replace(location.pathname);
});

// The password generator, as in shared/domain/passwords.py.
const count = one("#count"), undo = one("[data-undo]");
const bounded = (input) => Math.min(input.max, Math.max(input.min, parseInt(input.value) || input.defaultValue));
const ofWords = () => one("#style-words").checked;
const alphabets = () => {
  const out = one("[data-out]:checked")?.dataset.out ?? "", kinds = all("[data-of]:checked");
  return (kinds.length ? kinds : all("[data-of]").slice(0, 3)).map((kind) => [...kind.dataset.of].filter((one) => !out.includes(one)));
};
const bits = () => {
  if (ofWords()) return Math.floor(bounded(count) * Math.log2(count.dataset.wordCount));
  let terms = [[alphabets().flat().length, 1]];
  for (const { length } of alphabets()) terms = terms.concat(terms.map(([left, sign]) => [left - length, -sign]));
  return Math.floor(Math.log2(terms.reduce((sum, [left, sign]) => sum + sign * left ** bounded(one("#length")), 0)));
};
const random = (n) => {
  const [drawn] = crypto.getRandomValues(new Uint32Array(1));
  return drawn < 2 ** 32 - (2 ** 32 % n) ? drawn % n : random(n); // draw again: a plain modulo would be biased
};
const draw = (from, length) => Array.from({ length }, () => from[random(from.length)]);
let list, generated, before;
const password = async () => {
  if (ofWords()) {
    list ??= (await (await get(form.dataset.list)).text()).trim().split("\n");
    return draw(list, bounded(count)).join(one("#separator").value);
  }
  for (;;) {
    const drawn = draw(alphabets().flat(), bounded(one("#length")));
    if (alphabets().every((kind) => kind.some((one) => drawn.includes(one)))) return drawn.join("");
  }
};
const put = (text, said) => {
  payload.value = text;
  update();
  say(said);
};
on(one("[data-generate]"), "click", (event) => {
  event.preventDefault();
  password().then((next) => {
    if (payload.value !== generated) before = payload.value;
    generated = next;
    undo.hidden = false;
    put(next, words.generated);
  }).catch((error) => say(error.message));
});
on(undo, "click", (event) => {
  if (before === undefined) return; // the server generated the password, so the server undoes it
  event.preventDefault();
  put(before, words.undone);
  one("[data-generate]").focus();
  undo.hidden = true;
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
const notice = one("[data-problem]");
const tell = (...nodes) => {
  notice.replaceChildren(...nodes);
  notice.hidden = !nodes.length;
  if (nodes.length) notice.focus();
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
    if (options.contains(field)) options.open = true;
    const item = make("p"), name = field.labels[0].innerText;
    item.append(make("a", `${name}: ${problem.textContent}`, { href: `#${field.id}` }));
    return item;
  }));
};
const problem = (field, textContent) => make("span", textContent, { className: "problem", id: `${field}-problem` });

// What the gateway would lose, or the server refuse, is said before it is sent.
const check = (isSent) => {
  const texts = withoutFiles(), views = one("#views");
  if (size(texts) > formBytes) {
    const [[name]] = [...texts].sort(([, one], [, other]) => other.length - one.length);
    return problem(name.slice(5, -1), words.large);
  }
  const isNumber = views.value && views.checkValidity();
  return isSent && !isNumber ? problem("expire_after_views", words.views) : null;
};
on(form, "submit", (event) => {
  const isSent = !event.submitter?.name; // a button with a name chooses a language, or generates a password
  // Offline, the browser's own page would replace the form.
  const refused = navigator.onLine ? check(isSent) : words.lost;
  if (!refused && !(isSent && isSealed())) return;
  event.preventDefault();
  mark(refused ? [refused] : []);
  if (refused) return;
  if (isText()) load("sealer").then(() => sender.sendSealed(event.submitter)).catch(fail);
  else tell(onlyText.textContent);
});

// More of this script, loaded when it is needed.
const loaded = {};
const load = (name) => loaded[name] ??= new Promise((onload, onerror) => {
  document.head.append(make("script", "", { src: form.dataset[name], onload, onerror }));
}).catch(() => {
  delete loaded[name];
  throw Error(words.lost);
});
// End-to-end encryption. While the switch is on, no form has the text.
on(form, "formdata", (event) => {
  if (isSealed()) event.formData.delete("push[payload]");
});
const fail = (error) => tell(error.message);
const prepare = () => isSealed() && load("sealer").catch(fail);
on(seal, "change", prepare);
if (crypto.subtle) seal.disabled = seal.closest("[hidden]").hidden = false; // missing over plain HTTP
prepare();
if (!files) for (const name of ["dragover", "drop"]) on(document, name, (event) => {
  if (!event.dataTransfer.types.includes("Files")) return;
  event.preventDefault(); // otherwise the browser would open the file and drop what was typed
  say(one("[data-no-files]")?.textContent.trim() ?? "");
});
update();
return { form, one, all, on, make, words, lang, fill, files, size, withoutFiles, get, load, problem, mark, tell };
})();
