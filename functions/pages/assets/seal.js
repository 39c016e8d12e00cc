// End-to-end encryption (docs/contract.md, section 15). The key is only in the link's fragment, which browsers never send.
"use strict";
const sealing = (() => {
const bytes = (text) => new TextEncoder().encode(text);
const encode = (raw) => {
  const text = Array.from(raw, (byte) => String.fromCharCode(byte)).join("");
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
};
const decode = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
const keyId = async (raw) => encode(new Uint8Array(await crypto.subtle.digest("SHA-256", raw)).slice(0, 4));
const imported = (raw, use) => crypto.subtle.importKey("raw", raw, "AES-GCM", false, [use]);
const cipher = (iv, header) => ({ name: "AES-GCM", iv, additionalData: bytes(header) });

// Returns a new key, and the text as a compact JWE (RFC 7516).
const seal = async (text) => {
  const raw = crypto.getRandomValues(new Uint8Array(32)), iv = crypto.getRandomValues(new Uint8Array(12));
  const header = encode(bytes(JSON.stringify({ alg: "dir", enc: "A256GCM", kid: await keyId(raw) })));
  const sealed = new Uint8Array(await crypto.subtle.encrypt(cipher(iv, header), await imported(raw, "encrypt"), bytes(text)));
  return { key: encode(raw), jwe: [header, "", encode(iv), encode(sealed.slice(0, -16)), encode(sealed.slice(-16))].join(".") };
};
// Returns the text of a JWE; fails unless this key sealed exactly this.
const open = async (jwe, key) => {
  const raw = decode(key), [header, , iv, sealed, tag] = jwe.split(".");
  const { alg, enc, cty } = JSON.parse(new TextDecoder().decode(decode(header)));
  if (alg !== "dir" || enc !== "A256GCM" || cty) throw Error("JWE");
  const whole = Uint8Array.from([...decode(sealed), ...decode(tag)]);
  const plain = await crypto.subtle.decrypt(cipher(decode(iv), header), await imported(raw, "decrypt"), whole);
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(plain);
};
// The key in this page's address. What follows it is ignored, because mail programs append characters.
const fragment = () => /^#k=([A-Za-z0-9_-]{43})/.exec(location.hash)?.[1];
const fits = async (key, id) => (await keyId(decode(key))) === id;

// Keep the key in the address: in the links to other languages, and when a link leads to another part of the page.
const keep = () => {
  for (const link of document.querySelectorAll(".languages a")) link.hash = `k=${fragment()}`;
};
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href^='#']");
  const part = link && fragment() && document.querySelector(link.getAttribute("href"));
  if (!part) return;
  event.preventDefault();
  if (part.tabIndex < 0) part.tabIndex = -1;
  part.focus();
});
return { seal, open, fragment, fits, keep };
})();
