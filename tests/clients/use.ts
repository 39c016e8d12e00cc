// Push, retrieve, list and ask with the client that openapi-typescript generates: use.js BASE_URL TOKEN
import createClient from "openapi-fetch";
import type { components, paths } from "./generated.js";

declare const process: { argv: string[] };

function check(condition: unknown, what: unknown): asserts condition {
  if (!condition) throw new Error(JSON.stringify(what));
}

const [baseUrl, token] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl: baseUrl!, headers: { Authorization: `Bearer ${token}` } });

// openapi-fetch itself would let an unknown field pass.
const newPush: components["schemas"]["NewPush"] = {
  payload: "s3cret",
  expire_after_views: 1,
  name: "n",
  files: [{ filename: "a.txt", data: "YQ==" }],
};
const created = await client.POST("/api/v2/pushes", { body: { push: newPush } });
const push = created.data;
check(push, created.error);
check(push.kind === "file" && push.name === "n" && push.views_remaining === 1 && push.passphrase === "", push);

const params = { path: { url_token: push.url_token } };
const { data: retrieved, error } = await client.GET("/api/v2/pushes/{url_token}", { params });
check(retrieved, error);
check(retrieved.payload === "s3cret" && !retrieved.expired, retrieved);
check(retrieved.files?.map((file) => file.filename).join() === "a.txt", retrieved);

const { data: gone } = await client.GET("/api/v2/pushes/{url_token}", { params });
check(gone?.payload === null && gone.files?.length === 0 && gone.expired && gone.expired_on, gone);

const listed = await client.GET("/api/v2/pushes/expired", { params: { query: { page: 1 } } });
check(listed.data?.length === 1 && listed.data[0]?.url_token === push.url_token, listed.data);

const audit = await client.GET("/api/v2/pushes/{url_token}/audit", { params });
check(audit.data?.logs.map((entry) => entry.kind).join() === "creation,owner_view,failed_view", audit.data);

const unknown = await client.GET("/api/v2/pushes/{url_token}", { params: { path: { url_token: "a".repeat(25) } } });
check(unknown.response.status === 404 && unknown.error?.error === "not-found", unknown.error);

const refused = await client.POST("/api/v2/pushes", { body: { push: { payload: "" } } });
check(refused.error && "payload" in refused.error, refused.error);

const newAsk: components["schemas"]["NewAsk"] = { message: "The key, please", answers: 2 };
const { data: asked } = await client.POST("/api/v2/asks", { body: { ask: newAsk } });
check(asked?.answers_remaining === 2 && !asked.expired, asked);

const named = { path: { ask_token: asked.ask_token } };
const { data: ended } = await client.DELETE("/api/v2/asks/{ask_token}", { params: named });
check(ended?.expired, ended);

const { data: asks } = await client.GET("/api/v2/asks");
check(asks?.length === 1 && asks[0]?.expired, asks);
