// Opens a JWE from standard input with `jose` and its default settings: {"jwe", "key"}, the key as in a link.
import { base64url, compactDecrypt } from "jose";

const { jwe, key } = JSON.parse(await new Response(process.stdin).text());
const { plaintext, protectedHeader } = await compactDecrypt(jwe, base64url.decode(key));
process.stdout.write(JSON.stringify({ text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(plaintext), header: protectedHeader }));
