// Comfort only: every page works without this file.
"use strict";

let clearing;
function say(text) {
  const status = document.querySelector("[data-status]");
  status.textContent = text;
  clearTimeout(clearing);
  clearing = setTimeout(() => { status.textContent = ""; }, 5000);
}

function enhance() {
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
}
enhance();

const form = document.querySelector("[data-send]");
if (form) {
  follow(form);
  generate(form);
  drop(form);
  form.addEventListener("submit", (event) => {
    const files = [...(form.querySelector("#files:enabled")?.files ?? [])];
    if (!event.submitter?.name && bytesOf(files) > Number(form.dataset.inlineBytes)) {
      event.preventDefault();
      form.inert = true; // or a second press would make a second link
      bring(form, files).catch((error) => mark(form, [ofFiles(error.message)])).finally(() => { form.inert = false; });
    }
  });
}

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

function bytesOf(files) {
  return files.reduce((sum, file) => sum + file.size, 0);
}

// Files too large for one request: declare them, bring each to S3, then show the page with the link.
async function bring(form, files) {
  const data = new FormData(form);
  data.delete("push[files][]");
  const declared = files.map(({ name, size, type }) => ({ filename: name, size, content_type: type || null }));
  data.set("direct", JSON.stringify(declared));
  const answer = await fetch("/", { method: "POST", body: data });
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const made = page.querySelector("[data-uploads]");
  if (!made) {
    const problems = [...page.querySelectorAll("span.problem")];
    mark(form, problems.length ? problems : [ofFiles("The files were refused. Please try again.")]);
    return;
  }
  mark(form, []);
  const progress = form.querySelector("progress");
  progress.hidden = false;
  const total = bytesOf(files) || 1;
  let done = 0;
  for (const [index, upload] of JSON.parse(made.dataset.uploads).entries()) {
    await send(upload, files[index], (loaded) => { progress.value = (done + loaded) / total; });
    done += files[index].size;
  }
  document.querySelector("main").replaceWith(page.querySelector("main"));
  document.title = page.title;
  enhance();
  document.querySelector("h1").tabIndex = -1;
  document.querySelector("h1").focus();
  say("All files have arrived.");
}

// Each problem beside its field, as the server would have shown it, but with the files still chosen.
function mark(form, problems) {
  for (const old of form.querySelectorAll("span.problem")) old.remove();
  for (const field of form.querySelectorAll("[aria-invalid]")) {
    field.removeAttribute("aria-invalid");
    field.removeAttribute("aria-describedby");
  }
  form.querySelector("progress").hidden = true;
  for (const problem of problems) {
    const field = form.querySelector(`[name^="push[${problem.id.replace("-problem", "")}]"]`);
    field.setAttribute("aria-invalid", "true");
    field.setAttribute("aria-describedby", problem.id);
    field.closest("p, fieldset").append(problem);
  }
  say(problems.map((problem) => problem.textContent).join(" "));
}

function ofFiles(text) {
  return Object.assign(document.createElement("span"), { className: "problem", id: "files-problem", textContent: text });
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
