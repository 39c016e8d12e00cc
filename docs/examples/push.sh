#!/usr/bin/env bash
# Push a secret that opens once, print its link, then retrieve it. The secret is standard input.
usage="printf %s 'correct horse' | BASE_URL=http://127.0.0.1:8000 ./push.sh
BASE_URL=https://push.example.com TOKEN=your-api-token ./push.sh <key.pem"
set -euo pipefail
shopt -s nocasematch

tries=5
longest=60 # seconds; a longer Retry-After is for a person to wait
base_url=${BASE_URL:-}
base_url=${base_url%"${base_url##*[!/]}"} # without slashes at its end
token=${TOKEN:-}
unset TOKEN # the commands below do not need it in their environment

fail() { printf '%s\n' "$1" >&2; exit 1; }
new_key() { od -An -N16 -tx1 /dev/urandom | tr -d ' \n'; }

# One line of a curl configuration. A value without control characters cannot become another option.
option() {
  local value=${2//\\/\\\\}
  printf '%s = "%s"\n' "$1" "${value//\"/\\\"}"
}

# Anybody on this machine can read the arguments of a command, so what is secret reaches curl in two pipes.
send_once() { # path, key, body
  curl --silent --show-error --include --suppress-connect-headers --max-time 30 ${3:+--data-binary @-} --config /dev/fd/3 \
    3< <(
      option url "$base_url$1"
      option header "Idempotency-Key: $2"
      option header "Expect:"
      if [[ $token ]]; then option header "Authorization: Bearer $token"; fi
    ) < <(printf %s "$3")
}

# Sends a request. Repeats it after a 429, a 5xx or no response, with the same key, so that it counts once.
send() { # path, body
  local number wait response head status=0 failure key
  key=$(new_key)
  for ((number = 1; number <= tries; number++)); do
    wait=$number
    failure="no response"
    if response=$(send_once "$1" "$key" "$2"); then
      head=${response%%$'\r\n\r\n'*}
      [[ $head =~ ^HTTP/[0-9.]+\ ([0-9]+) ]] && status=${BASH_REMATCH[1]}
      response=${response#*$'\r\n\r\n'}
      if ((status >= 200 && status < 300)); then printf '%s\n' "$response" && return; fi
      failure="$status: $response"
      if [[ $head =~ $'\n'retry-after:\ *([0-9]+) ]] && ((10#${BASH_REMATCH[1]} > wait)); then wait=$((10#${BASH_REMATCH[1]})); fi
      if ((status < 500 && status != 429 || wait > longest)); then break; fi
    fi
    if ((number < tries)); then sleep "$wait"; fi
  done
  fail "$failure"
}

if [[ -t 0 || $# -gt 0 || -z $base_url ]]; then fail "$usage"; fi
if [[ $base_url$token =~ [[:cntrl:]] ]]; then fail "BASE_URL and TOKEN cannot contain control characters."; fi
# In a form, every byte can be written in percent-encoding: nothing in the secret has a meaning.
secret=$(od -An -v -tx1 | tr -d ' \n' | sed 's/../%&/g')
if [[ -z $secret ]]; then fail "$usage"; fi

created=$(send /api/v2/pushes "push[expire_after_views]=1&push[payload]=$secret")
[[ $created =~ \"html_url\":\"([^\"]+)\" ]] && printf '%s\n' "${BASH_REMATCH[1]}"
[[ $created =~ \"url_token\":\"([a-z0-9]+)\" ]] && send "/api/v2/pushes/${BASH_REMATCH[1]}" ""
