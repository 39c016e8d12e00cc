// The sender's form. It works without this script. form.js goes before it; files are in upload.js.
const passphrase = one("#passphrase"), seal = one("#seal"), onlyText = one("[data-only-text]");
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
on(window, "pageshow", update); // "Back" restores the fields

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

on(form, "submit", (event) => {
  if (event.defaultPrevented || event.submitter?.name) return; // such a button chooses a language, or generates a password
  const views = one("#views"), isNumber = views.value && views.checkValidity();
  if (isNumber && !isSealed()) return;
  event.preventDefault();
  mark(isNumber ? [] : [problem("expire_after_views", words.views)]);
  if (!isNumber) return;
  if (isText()) return load("sealer").then(() => sendSealed(event.submitter)).catch(fail);
  options.open = true; // the switch is in it
  tell(make("a", onlyText.textContent, { href: "#seal" }));
});

// End-to-end encryption. While the switch is on, no form has the text.
on(form, "formdata", (event) => {
  if (isSealed()) event.formData.delete("push[payload]");
});
const fail = (error) => tell(error.message);
const fetchSealer = () => isSealed() && load("sealer").catch(fail);
on(seal, "change", fetchSealer);
if (crypto.subtle) seal.disabled = seal.closest("[hidden]").hidden = false; // missing over plain HTTP
fetchSealer();
update();
