// Files in the forms at / and /a/…: chosen, listed, and sent straight to S3 with progress. Small ones go with the form.
"use strict";
{
const { directAbove, formBytes, maxFiles, maxSize } = form.dataset;

// The chosen files, from the field, dropped or pasted: listed, and each can be removed.
let chosen = [];
const show = () => {
  const transfer = new DataTransfer(), list = one(".chosen");
  for (const file of chosen) transfer.items.add(file);
  files.files = transfer.files;
  list.hidden = !chosen.length;
  list.replaceChildren(...chosen.map((file, index) => {
    const item = make("li"), ariaLabel = fill(words.remove_one, file);
    const button = make("button", words.remove, { type: "button", className: "plain", ariaLabel });
    on(button, "click", () => {
      chosen.splice(index, 1);
      show();
      (all(".chosen > li > button")[index] ?? files).focus();
    });
    item.append(make("bdi", file.name), make("small", amount(file.size)), button);
    return item;
  }));
};
const add = (more) => {
  if (pressed.has(form)) return;
  one("#kind-file")?.click();
  const isSame = (file, other) => ["name", "size", "lastModified"].every((key) => file[key] === other[key]);
  chosen.push(...[...more].filter((file) => !chosen.some((other) => isSame(file, other))));
  show();
};
on(files, "change", () => add(files.files));
for (const name of ["dragover", "dragleave", "drop"]) on(document, name, (event) => {
  if (!event.dataTransfer.types.includes("Files")) return;
  event.preventDefault();
  form.classList.toggle("over", name === "dragover");
  if (name === "drop") add(event.dataTransfer.files);
});
on(document, "paste", (event) => {
  const { files, types } = event.clipboardData;
  // A copied table has a picture beside its text; a copied file may have its name as text.
  if (!files.length || (types.includes("text/plain") && types.includes("text/html"))) return;
  event.preventDefault();
  add(files);
});

// An amount of bytes, or of bytes per second; a number of seconds.
const measure = (n, unit, digits = 0) =>
  new Intl.NumberFormat(lang, { style: "unit", unit, unitDisplay: unit === "byte" ? "long" : "short", maximumFractionDigits: digits }).format(n);
const amount = (n, end = "") => {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte"];
  const power = Math.min(3, Math.floor(Math.log2(n || 1) / 10)), scaled = n / 1024 ** power;
  return measure(scaled, units[power] + end, power && scaled < 10 ? 1 : 0);
};
const duration = (s) => (s < 90 ? measure(Math.ceil(s), "second") : s < 5400 ? measure(s / 60, "minute") : measure(s / 3600, "hour", 1));
const sum = (files) => files.reduce((sum, file) => sum + file.size, 0);

on(form, "submit", (event) => {
  if (event.submitter?.name) files.disabled = true; // they need not go along to choose a language
  if (event.defaultPrevented || files.disabled || !chosen.length) return;
  const big = chosen.find((file) => file.size > maxSize);
  const refused = chosen.length > maxFiles ? words.many : big && fill(words.big, big);
  if (!refused && sum(chosen) <= directAbove && size(new FormData(form)) <= formBytes) return;
  event.preventDefault();
  mark(refused ? [problem("files", refused)] : []);
  if (!refused) upload(event.submitter);
});

// Files too large for one request: declare them, upload each to S3, then open the next page. After an error,
// the next press resumes: what was declared is kept, the same key and fields create the same push, and files that have
// arrived are skipped.
const FRESH = 30 * 60_000; // milliseconds; the forms for S3 expire after an hour
let declared = {}, stopping, current;
const submit = one("[data-bar] button:not([type])"), cancel = one("[data-cancel]"), box = one("[data-upload]");
const label = [...submit.childNodes], title = document.title;
const ask = (event) => event.preventDefault();
const lock = (isOn) => {
  for (const part of form.children) part.inert = isOn && !part.contains(cancel);
  box.hidden = cancel.hidden = !isOn;
  (isOn ? on : (target, ...rest) => target.removeEventListener(...rest))(window, "beforeunload", ask);
};
const upload = async (submitter) => {
  stopping = new AbortController();
  wait(form, submitter ?? submit);
  lock(true);
  box.scrollIntoView({ block: "nearest" });
  try {
    const preview = await bring([...chosen]);
    lock(false);
    location.assign(preview);
  } catch (error) {
    lock(false);
    resume(form);
    document.title = title;
    if (error.shown) return mark(error.shown);
    if (stopping.signal.aborted) error.message = fill(words.cancelled, current);
    submit.textContent = words.again;
    tell(error.message);
  }
};
on(cancel, "click", () => stopping.abort());
on(form, "input", () => submit.replaceChildren(...label));
const bring = async (files) => {
  const arrived = (await declare(files)).files, began = Date.now();
  const total = sum(files) || 1, before = sum([...arrived]);
  let done = before;
  const report = (loaded) => {
    const seconds = (Date.now() - began) / 1000, rate = (done + loaded - before) / seconds;
    const percent = ((done + loaded) / total).toLocaleString(lang, { style: "percent" });
    one("progress").value = (done + loaded) / total;
    document.title = `${percent} · ${title}`;
    one("[data-rate]").textContent = seconds < 1 || !rate ? percent
      : fill(words.rate, { percent, rate: amount(rate, "-per-second"), left: duration((total - done - loaded) / rate) });
  };
  for (const [index, file] of files.entries()) {
    if (arrived.has(file)) continue;
    one("[data-file]").textContent = fill(words.sending, { name: file.name, number: index + 1, count: files.length });
    current = file;
    report(0);
    await send((await declare(files)).uploads[index], file, report);
    arrived.add(file);
    done += file.size;
  }
  return declared.preview;
};
// Returns the forms for S3, of the last declaration unless the fields have changed or it is old.
const declare = async (files) => {
  const body = withoutFiles();
  body.set("direct", JSON.stringify(files.map(({ name, size, type }) => ({ filename: name, size, content_type: type || null }))));
  const fields = JSON.stringify([...body]);
  if (declared.fields === fields && Date.now() < declared.until) return declared;
  [current] = files;
  const answer = await get("", { method: "POST", body, headers: { Accept: "application/json" }, signal: stopping.signal });
  if (answer.status !== 201) {
    await load("refusal");
    throw await refusal(answer, words.refused);
  }
  const { preview, uploads } = await answer.json();
  const push = uploads[0]?.fields.key; // another one after a change
  declared = { fields, preview, uploads, push, until: Date.now() + FRESH, files: push === declared.push ? declared.files : new Set() };
  return declared;
};
const send = (upload, file, onProgress) => new Promise((resolve, reject) => {
  const body = new FormData(), request = new XMLHttpRequest();
  const broken = async () => {
    // A folder cannot be read, nor can a file that has changed since it was chosen.
    const said = await file.slice(0, 1).arrayBuffer().then(() => words.broken, () => words.unreadable);
    reject(Error(fill(said, file)));
  };
  for (const part of Object.entries(upload.fields)) body.append(...part);
  body.append("file", file);
  on(request.upload, "progress", (event) => onProgress(Math.min(event.loaded, file.size)));
  on(request, "load", () => {
    if (request.status < 300) return resolve();
    declared.until = 0; // the form for S3 may have expired
    broken();
  });
  on(request, "error", broken);
  on(request, "abort", reject);
  on(stopping.signal, "abort", () => request.abort());
  request.open("POST", upload.url);
  request.send(body);
});

one("[data-drop-hint]").hidden = false;
if (files.files.length) add(files.files); // kept by the browser over a reload
}
