// Push a secret that can be seen once, and retrieve it: BASE_URL=http://127.0.0.1:8000 go run push.go 'correct horse'
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
	"time"
)

const tries = 5

var client = &http.Client{Timeout: 30 * time.Second}

// send sends a request until it is answered: with the same key each time, so that it counts once.
func send(method, url string, body []byte) []byte {
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		log.Fatal(err)
	}
	key := hex.EncodeToString(random)
	for number := 1; ; number++ {
		status, answer, err := once(method, url, key, body)
		switch {
		case err == nil && status < 300:
			return answer
		case err == nil && status < 500:
			log.Fatalf("status %d: %s", status, answer)
		case number == tries:
			log.Fatalf("status %d: %v", status, err)
		}
		time.Sleep(time.Duration(number) * time.Second)
	}
}

func once(method, url, key string, body []byte) (int, []byte, error) {
	request, err := http.NewRequest(method, url, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", key)
	if token := os.Getenv("TOKEN"); token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	return response.StatusCode, answer, err
}

func main() {
	push := map[string]any{"payload": os.Args[1], "expire_after_views": 1}
	body, err := json.Marshal(map[string]any{"push": push})
	if err != nil {
		log.Fatal(err)
	}
	var created struct {
		HTMLURL string `json:"html_url"`
		JSONURL string `json:"json_url"`
	}
	if err := json.Unmarshal(send("POST", os.Getenv("BASE_URL")+"/api/v2/pushes", body), &created); err != nil {
		log.Fatal(err)
	}
	fmt.Println(created.HTMLURL)
	fmt.Println(string(send("GET", created.JSONURL, nil)))
}
