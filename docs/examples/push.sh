#!/usr/bin/env bash
# Push a secret that can be seen once, and retrieve it: BASE_URL=http://127.0.0.1:8000 ./push.sh 'correct horse'
set -euo pipefail
# On standard input, since anybody on this machine may read the arguments of a command. A request that gets no answer is
# sent again with its key, and counts once.
send() { curl --silent --show-error --fail --retry 5 --retry-delay 1 --retry-all-errors --config - "$@"; }
new_key() { openssl rand -hex 16; }
quoted() { sed 's/\\/\\\\/g; s/"/\\"/g'; }

payload=$(printf %s "$1" | quoted)
body=$(printf '{"push": {"payload": "%s", "expire_after_views": 1}}' "$payload" | quoted)
created=$(send <<END
url = "$BASE_URL/api/v2/pushes"
header = "Content-Type: application/json"
header = "Idempotency-Key: $(new_key)"
${TOKEN:+header = "Authorization: Bearer $TOKEN"}
data = "$body"
END
)
json_url=$(printf %s "$created" | sed -E 's/.*"json_url":"([^"]*)".*/\1/')
printf '%s\n' "$created" | sed -E 's/.*"html_url":"([^"]*)".*/\1/'

send <<END
url = "$json_url"
header = "Idempotency-Key: $(new_key)"
END
echo
