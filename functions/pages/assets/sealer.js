// The sender's form with "Encrypt in this browser": only the JWE is sent. The page with the link gets the key by its address.
"use strict";
const sendSealed = (() => {
let last = {};
load("seal").catch(() => {}); // tried again with the form
// The same JWE for the same text: with the form's idempotency key, a repeat creates no second push.
const sealed = async (text) => (last.text === text ? last : (last = { text, ...(await sealing.seal(text)) }));
const create = async () => {
  await load("seal");
  const body = withoutFiles(), text = payload.value;
  // The server says what is wrong with an empty text; once sealed, nobody could tell.
  const { jwe, key } = text.trim() ? await sealed(text) : { jwe: text };
  if (jwe.length > form.dataset.limit) throw Object.assign(Error(), { shown: [problem("payload", words.sealed)] });
  body.set("push[payload]", jwe);
  const answer = await get("/", { method: "POST", body, headers: { Accept: "application/json" } });
  if (answer.status !== 201) {
    await load("refusal");
    throw await refusal(answer, words.lost);
  }
  return `${(await answer.json()).preview}#k=${key}`;
};
return async (submitter) => {
  wait(form, submitter);
  try {
    location.assign(await create());
  } catch (error) {
    resume(form);
    error.shown ? mark(error.shown) : tell(error.message);
  }
};
})();
