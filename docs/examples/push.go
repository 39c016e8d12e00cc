// Push a secret that opens once, print its link, then retrieve it. The secret is standard input.
package main

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

const usage = `printf %s 'correct horse' | BASE_URL=http://127.0.0.1:8000 go run push.go
BASE_URL=https://push.example.com TOKEN=your-api-token go run push.go <key.pem`
const tries = 5
const longest = 60 // seconds; a longer Retry-After is for a person to wait

var client = &http.Client{Timeout: 30 * time.Second}

// send sends a request. It repeats it after a 429, a 5xx or no response, with the same key, so that it counts once.
func send(method, url string, body []byte) []byte {
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		log.Fatal(err)
	}
	key := hex.EncodeToString(random)
	for number := 1; ; number++ {
		wait := number
		status, answer, retryAfter, err := sendOnce(method, url, key, body)
		failure := fmt.Sprintf("no response: %v", err)
		if err == nil {
			if status < 300 {
				return answer
			}
			failure = fmt.Sprintf("%d: %s", status, answer)
			if retryAfter > wait {
				wait = retryAfter
			}
		}
		isRefused := err == nil && status < 500 && status != 429
		if isRefused || wait > longest || number == tries {
			log.Fatal(failure)
		}
		time.Sleep(time.Duration(wait) * time.Second)
	}
}

// sendOnce returns the status, the body and the seconds in Retry-After.
func sendOnce(method, url, key string, body []byte) (int, []byte, int, error) {
	request, err := http.NewRequest(method, url, bytes.NewReader(body))
	if err != nil {
		return 0, nil, 0, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", key)
	if token := os.Getenv("TOKEN"); token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, nil, 0, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	seconds, _ := strconv.Atoi(response.Header.Get("Retry-After")) // 0 unless it is a number
	return response.StatusCode, answer, seconds, err
}

// readSecret returns standard input; nothing if it is a terminal.
func readSecret() []byte {
	if about, err := os.Stdin.Stat(); err != nil || about.Mode()&os.ModeCharDevice != 0 || len(os.Args) > 1 {
		return nil
	}
	secret, err := io.ReadAll(os.Stdin)
	if err != nil {
		log.Fatal(err)
	}
	return secret
}

func main() {
	log.SetFlags(0)
	baseURL := strings.TrimRight(os.Getenv("BASE_URL"), "/")
	secret := readSecret()
	if baseURL == "" || len(secret) == 0 {
		log.Fatal(usage)
	}
	push := map[string]any{"payload": string(secret), "expire_after_views": 1}
	body, err := json.Marshal(map[string]any{"push": push})
	if err != nil {
		log.Fatal(err)
	}
	var created struct {
		HTMLURL  string `json:"html_url"`
		URLToken string `json:"url_token"`
	}
	if err := json.Unmarshal(send("POST", baseURL+"/api/v2/pushes", body), &created); err != nil {
		log.Fatal(err)
	}
	fmt.Println(created.HTMLURL)
	fmt.Println(string(send("GET", baseURL+"/api/v2/pushes/"+created.URLToken, nil)))
}
