// The forms at / and /a/…: reads what a page says that refuses one, for `mark`. Loaded after a refusal.
"use strict";
const refusal = async (answer, otherwise) => {
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const problems = [...page.querySelectorAll("span.problem")], notice = page.querySelector("main > [role=alert]");
  // If the user has signed in or out since, the notice says so. Take over the new CSRF token for the next press.
  if (page.querySelector("[data-send]")) {
    one("[name=form_token]")?.remove();
    form.prepend(page.querySelector("[data-send] [name=form_token]") ?? "");
  }
  return Object.assign(Error(), { shown: problems.length ? problems : [...(notice?.childNodes ?? [otherwise])] });
};
