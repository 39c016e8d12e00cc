// The sender's form: comfort only, it works without this file. `say`, `wait` and `resume` are of site.js.
"use strict";

const form = document.querySelector("[data-send]");
follow(form);
generate(form);
drop(form);
forget(form);
form.addEventListener("submit", (event) => {
  if (event.submitter?.name) return;
  const files = [...(form.querySelector("#files:enabled")?.files ?? [])];
  const limit = Number(form.dataset.formBytes);
  const whole = new FormData(form);
  const words = withoutFiles(form);
  if (bytesOfForm(words) > limit) {
    event.preventDefault();
    mark(form, [tooLarge(words, limit)]);
  } else if (files.length && (bytesOf(files) > Number(form.dataset.inlineBytes) || bytesOfForm(whole) > limit)) {
    event.preventDefault();
    wait(form, event.submitter);
    form.inert = true;
    bring(form, files)
      .then((preview) => location.assign(preview))
      .catch((error) => {
        form.inert = false;
        resume(form);
        mark(form, error.problems ?? [problem("files", error.message)]);
      });
  }
});

// What the kind decides: whether files are sent, and how long the payload may be.
function follow(form) {
  const files = form.querySelector("#files");
  const payload = form.querySelector("#payload");
  const shown = form.querySelector("[data-count]");
  const update = () => {
    const kind = form.querySelector("[name='push[kind]']:checked");
    if (files) files.disabled = kind?.value !== "file"; // or those chosen before would go with a text
    const limit = Number(kind?.dataset.limit ?? form.dataset.limit);
    const length = [...payload.value].length;
    shown.textContent = `${length.toLocaleString()} of ${limit.toLocaleString()} characters`;
    shown.classList.toggle("problem", length > limit);
  };
  shown.hidden = false;
  form.addEventListener("input", update);
  window.addEventListener("pageshow", update); // whoever comes back finds the form as they left it
  update();
}

function generate(form) {
  form.querySelector("[data-generate]").addEventListener("click", (event) => {
    event.preventDefault();
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    const bytes = crypto.getRandomValues(new Uint8Array(400)).filter((byte) => byte < 248); // 4 × 62, so none is favoured
    const payload = form.querySelector("#payload");
    payload.value = [...bytes.slice(0, 20)].map((byte) => alphabet[byte % 62]).join("");
    payload.dispatchEvent(new Event("input", { bubbles: true }));
    say("A password was generated.");
  });
}

function drop(form) {
  const zone = form.querySelector("[data-drop]");
  if (!zone) return;
  form.querySelector("[data-drop-hint]").hidden = false;
  const over = (is) => (event) => { event.preventDefault(); zone.classList.toggle("over", is); };
  form.addEventListener("dragover", over(true));
  form.addEventListener("dragleave", over(false));
  form.addEventListener("drop", (event) => {
    over(false)(event);
    if (!event.dataTransfer.files.length) return;
    form.querySelector("#kind-file").click();
    form.querySelector("#files").files = event.dataTransfer.files;
    say(`${event.dataTransfer.files.length} files chosen.`);
  });
}

// A page that the browser has kept must not bring a secret back. Asked for again, it has the choices and a fresh key.
function forget(form) {
  window.addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    for (const field of form.querySelectorAll("#payload, #passphrase, #name, #note, #files")) field.value = "";
    location.replace(location.pathname);
  });
}

function bytesOf(files) {
  return files.reduce((sum, file) => sum + file.size, 0);
}

function withoutFiles(form) {
  const data = new FormData(form);
  data.delete("push[files][]");
  return data;
}

// As multipart/form-data has it, or a little more: each part has a head, and each line break becomes two characters.
function bytesOfForm(data) {
  const bytes = (text) => new TextEncoder().encode(text.replace(/\r?\n/g, "\r\n")).length;
  const each = ([name, value]) => 200 + bytes(name) + (value instanceof File ? bytes(value.name) + value.size : bytes(value));
  return [...data].reduce((sum, part) => sum + each(part), 0);
}

function tooLarge(data, limit) {
  const [[name]] = [...data].sort(([, one], [, other]) => other.length - one.length);
  const most = Math.floor(limit / 2 ** 20);
  return problem(name.slice("push[".length, -1), `Is too large: this form takes ${most} MiB in all.`);
}

// Files too large for one request: declare them, bring each to S3, then go to the page with the link. What broke off
// is taken up by the next press: the same key and fields mean the same push, and what has arrived need not go again.
let arrived = { preview: "", files: new Set() };
async function bring(form, files) {
  const { preview, uploads } = await declare(form, files);
  if (preview !== arrived.preview) arrived = { preview, files: new Set() };
  mark(form, []);
  const progress = form.querySelector("progress");
  progress.hidden = false;
  const total = bytesOf(files) || 1;
  let done = 0;
  for (const [index, upload] of uploads.entries()) {
    const file = files[index];
    if (!arrived.files.has(file)) await send(upload, file, (loaded) => { progress.value = (done + loaded) / total; });
    arrived.files.add(file);
    done += file.size;
  }
  return preview;
}

async function declare(form, files) {
  const data = withoutFiles(form);
  const declared = files.map(({ name, size, type }) => ({ filename: name, size, content_type: type || null }));
  data.set("direct", JSON.stringify(declared));
  const asked = { method: "POST", body: data, headers: { Accept: "application/json" } };
  const answer = await fetch("/", asked).catch(() => { throw new Error("The connection broke off. Please try again."); });
  form.parentElement.querySelector(":scope > [role=alert]")?.remove();
  if (answer.status === 201) return answer.json();
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const problems = [...page.querySelectorAll("span.problem")];
  const notice = page.querySelector("main [role=alert]");
  if (notice) form.before(notice);
  if (!notice && !problems.length) problems.push(problem("files", "The files were refused. Please try again."));
  adopt(form, page.querySelector("[data-send]"));
  throw Object.assign(new Error(), { problems });
}

// Whoever signed in or out meanwhile has been told so; the next press goes as who they are now.
function adopt(form, theirs) {
  if (!theirs) return;
  form.querySelector("[name=form_token]")?.remove();
  const token = theirs.querySelector("[name=form_token]");
  if (token) form.prepend(token);
  form.parentElement.querySelector(":scope > [role=alert]")?.scrollIntoView({ block: "center" });
}

// Each problem beside its field, as the server would have shown it, but with the files still chosen.
function mark(form, problems) {
  for (const old of form.querySelectorAll("span.problem")) old.remove();
  for (const field of form.querySelectorAll("[aria-invalid]")) {
    field.removeAttribute("aria-invalid");
    field.removeAttribute("aria-describedby");
  }
  const progress = form.querySelector("progress");
  if (progress) progress.hidden = true;
  for (const problem of problems) {
    const field = form.querySelector(`[name^="push[${problem.id.replace("-problem", "")}]"]`);
    field.setAttribute("aria-invalid", "true");
    field.setAttribute("aria-describedby", problem.id);
    const place = field.closest("p, fieldset");
    place.insertBefore(problem, place.querySelector(":scope > button, :scope > progress"));
  }
  say(problems.map((problem) => problem.textContent).join(" "));
}

function problem(field, text) {
  return Object.assign(document.createElement("span"), { className: "problem", id: `${field}-problem`, textContent: text });
}

function send(upload, file, onProgress) {
  return new Promise((resolve, reject) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(upload.fields)) body.append(name, value);
    body.append("file", file);
    const request = new XMLHttpRequest();
    request.upload.addEventListener("progress", (event) => onProgress(event.loaded));
    request.addEventListener("load", () => (request.status < 300 ? resolve() : reject(new Error("S3 refused a file."))));
    request.addEventListener("error", () => reject(new Error("The upload broke off. Please try again.")));
    request.open("POST", upload.url);
    request.send(body);
  });
}
