// Push a secret that opens once, print its link, then retrieve it. The secret is standard input.
const USAGE = `printf %s 'correct horse' | BASE_URL=http://127.0.0.1:8000 node push.mjs
BASE_URL=https://push.example.com TOKEN=your-api-token node push.mjs <key.pem`
// Node 18 or newer.
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'

const TRIES = 5
const LONGEST = 60 // seconds; a longer Retry-After is for a person to wait
const { TOKEN } = process.env
const baseUrl = (process.env.BASE_URL ?? '').replace(/\/+$/, '')

function fail(message) {
  console.error(message)
  process.exit(1)
}

// Sends a request. Repeats it after a 429, a 5xx or no response, with the same key, so that it counts once.
async function send(method, url, body) {
  const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() }
  if (TOKEN) headers.Authorization = `Bearer ${TOKEN}`
  let failure
  for (let number = 1; number <= TRIES; number++) {
    let wait = number
    try {
      const response = await fetch(url, { method, headers, body, signal: AbortSignal.timeout(30_000) })
      const answer = await response.text()
      if (response.ok) return JSON.parse(answer)
      failure = `${response.status}: ${answer}`
      wait = Math.max(number, Number(response.headers.get('Retry-After')) || 0)
      if ((response.status < 500 && response.status !== 429) || wait > LONGEST) break
    } catch (error) {
      failure = `no response: ${error.cause ?? error}`
    }
    if (number < TRIES) await new Promise((resolve) => setTimeout(resolve, 1000 * wait))
  }
  fail(failure)
}

const secret = process.stdin.isTTY || process.argv.length > 2 ? '' : readFileSync(0, 'utf8')
if (!baseUrl || !secret) fail(USAGE)

const push = { payload: secret, expire_after_views: 1 }
const created = await send('POST', `${baseUrl}/api/v2/pushes`, JSON.stringify({ push }))
console.log(created.html_url)
console.log(JSON.stringify(await send('GET', `${baseUrl}/api/v2/pushes/${created.url_token}`)))
