// The sender's form. It works without this script. `say`, `wait` and `resume` are in site.js.
"use strict";
{
const form = document.querySelector("[data-send]");
const one = (css) => form.querySelector(css);
const all = (css) => [...form.querySelectorAll(css)];
const on = (target, event, act) => target?.addEventListener(event, act);
const words = JSON.parse(form.dataset.words);
const fill = (text, n) => text.replace(/{(\w+)}/g, (_, name) => n[name].toLocaleString(document.documentElement.lang, { numberingSystem: "latn" }));
const payload = one("#payload"), passphrase = one("#passphrase"), files = one("#files"), progress = one("progress");

// Show counters and hints for the selected kind and the input.
const update = () => {
  const kind = one("[name='push[kind]']:checked"), shown = one("[data-count]");
  if (files) files.disabled = kind.value !== "file"; // otherwise files chosen before would be sent with a text
  const limit = +(kind.dataset.limit ?? form.dataset.limit), length = [...payload.value].length;
  shown.textContent = fill(words.count, { length, limit });
  shown.classList.toggle("problem", length > limit);
  shown.hidden = false;
  one("[data-blanks]").hidden = passphrase.value === passphrase.value.trim();
  one("[data-bits]").textContent = fill(words.bits, { bits: bits() });
};
on(form, "input", update);
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
    list ??= (await (await ask(form.dataset.list)).text()).trim().split("\n");
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

const zone = one("[data-drop]");
if (zone) {
  one("[data-drop-hint]").hidden = false;
  for (const name of ["dragover", "dragleave", "drop"]) on(form, name, (event) => {
    event.preventDefault();
    zone.classList.toggle("over", name === "dragover");
    const dropped = event.dataTransfer.files;
    if (name !== "drop" || !dropped.length) return;
    one("#kind-file").click();
    files.files = dropped;
    say(fill(words.dropped, { count: dropped.length }));
  });
}

on(form, "submit", (event) => {
  if (event.submitter?.name) return;
  const chosen = files?.disabled === false ? [...files.files] : [], { formBytes, inlineBytes } = form.dataset;
  const texts = withoutFiles(), isTooLarge = size(texts) > formBytes;
  if (!isTooLarge && !(chosen.length && (sum(chosen) > inlineBytes || size(new FormData(form)) > formBytes))) return;
  event.preventDefault();
  if (isTooLarge) {
    const [[name]] = [...texts].sort(([, one], [, other]) => other.length - one.length);
    return mark([problem(name.slice(5, -1), words.large)]);
  }
  wait(form, event.submitter);
  form.inert = true;
  bring(chosen).then((preview) => location.assign(preview), (error) => {
    form.inert = false;
    resume(form);
    mark(error.problems ?? [problem("files", error.message)]);
  });
});
const sum = (files) => files.reduce((sum, file) => sum + file.size, 0);
const withoutFiles = () => {
  const data = new FormData(form);
  data.delete("push[files][]");
  return data;
};
// An upper bound for the multipart/form-data body: each part has headers, and each line break becomes CR LF.
const size = (data) => {
  const bytes = (text) => new TextEncoder().encode(text.replace(/\r?\n/g, "\r\n")).length;
  return [...data].reduce((sum, [name, value]) => sum + 200 + bytes(name) + bytes(value.name ?? value) + (value.size ?? 0), 0);
};
const ask = async (path, asked) => {
  const answer = await fetch(path, asked).catch(() => 0);
  if (!answer || (!asked && !answer.ok)) throw Error(words.lost);
  return answer;
};

// Files too large for one request: declare them, upload each to S3, then open the page with the link. After an error,
// the next press resumes: the same key and fields create the same push, and finished uploads are skipped.
let arrived = {};
const bring = async (files) => {
  const { preview, uploads } = await declare(files);
  if (preview !== arrived.preview) arrived = { preview, files: new Set() };
  mark([]);
  progress.hidden = false;
  const total = sum(files) || 1;
  let done = 0;
  for (const [index, upload] of uploads.entries()) {
    const file = files[index];
    if (!arrived.files.has(file)) await send(upload, file, (loaded) => { progress.value = (done + loaded) / total; });
    arrived.files.add(file);
    done += file.size;
  }
  return preview;
};
const declare = async (files) => {
  const body = withoutFiles();
  body.set("direct", JSON.stringify(files.map(({ name, size, type }) => ({ filename: name, size, content_type: type || null }))));
  const answer = await ask("/", { method: "POST", body, headers: { Accept: "application/json" } });
  document.querySelector("main > [role=alert]")?.remove();
  if (answer.status === 201) return answer.json();
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const problems = [...page.querySelectorAll("span.problem")], notice = page.querySelector("main > [role=alert]");
  if (notice) form.before(notice);
  else if (!problems.length) problems.push(problem("files", words.refused));
  // If the user has signed in or out since, the notice says so. Take over the new CSRF token for the next press.
  if (page.querySelector("[data-send]")) {
    one("[name=form_token]")?.remove();
    form.prepend(page.querySelector("[data-send] [name=form_token]") ?? "");
    notice?.scrollIntoView({ block: "center" });
  }
  throw Object.assign(Error(), { problems });
};
const send = (upload, file, onProgress) => new Promise((resolve, reject) => {
  const body = new FormData(), request = new XMLHttpRequest(), broken = () => reject(Error(words.broken));
  for (const part of Object.entries(upload.fields)) body.append(...part);
  body.append("file", file);
  on(request.upload, "progress", (event) => onProgress(event.loaded));
  on(request, "load", () => (request.status < 300 ? resolve() : broken()));
  on(request, "error", broken);
  request.open("POST", upload.url);
  request.send(body);
});

// Show each problem next to its field, as the server would, but keep the chosen files.
const mark = (problems) => {
  for (const old of all("span.problem")) old.remove();
  for (const field of all("[aria-invalid]")) field.removeAttribute("aria-invalid");
  if (progress) progress.hidden = true;
  for (const problem of problems) {
    const field = one(`[name^="push[${problem.id.slice(0, -8)}]"]`);
    field.ariaInvalid = "true";
    field.setAttribute("aria-describedby", problem.id);
    field.after(problem);
  }
  say(problems.map((problem) => problem.textContent).join(" "));
};
const problem = (field, textContent) => Object.assign(document.createElement("span"), { className: "problem", id: `${field}-problem`, textContent });
update();
}
