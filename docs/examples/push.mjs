// Push a secret that can be seen once, and retrieve it: BASE_URL=http://127.0.0.1:8000 node push.mjs 'correct horse'
// Node 18 or newer, Deno or Bun; in a page, take location.origin for BASE_URL.
import { randomUUID } from 'node:crypto'

const { BASE_URL, TOKEN } = process.env
const TRIES = 5

// Sends a request until it is answered: with the same key each time, so that it counts once.
async function send(method, url, body) {
  const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() }
  if (TOKEN) headers.Authorization = `Bearer ${TOKEN}`
  for (let number = 1; ; number++) {
    try {
      const answer = await fetch(url, { method, headers, body: body && JSON.stringify(body) })
      if (answer.ok) return await answer.json()
      if (answer.status < 500) throw Object.assign(new Error(await answer.text()), { refused: true })
      throw new Error(`status ${answer.status}`)
    } catch (error) {
      if (error.refused || number === TRIES) throw error
      await new Promise((resolve) => setTimeout(resolve, 1000 * number))
    }
  }
}

const created = await send('POST', `${BASE_URL}/api/v2/pushes`, {
  push: { payload: process.argv[2], expire_after_views: 1 },
})
console.log(created.html_url)
console.log(JSON.stringify(await send('GET', created.json_url)))
