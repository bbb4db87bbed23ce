// The client program of go-redis: what workload.ts does, in Go. One argument: a ClientTask as JSON.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	readAfter   = time.Second
	longestKind = 80
)

type task struct {
	Library             string  `json:"library"`
	Mode                string  `json:"mode"`
	Host                string  `json:"host"`
	Port                int     `json:"port"`
	Password            string  `json:"password"`
	OperationsPerSecond float64 `json:"operationsPerSecond"`
	Keys                int     `json:"keys"`
	Settings            string  `json:"settings"`
}

type counts struct {
	Operations     int            `json:"operations"`
	Errors         int            `json:"errors"`
	Kinds          map[string]int `json:"kinds"`
	LongestStallMs float64        `json:"longestStallMs"`
	Reads          int            `json:"reads"`
	Old            int            `json:"old"`
	Empty          int            `json:"empty"`
	Seconds        float64        `json:"seconds"`
	started, last  time.Time
}

type write struct {
	number int
	at     time.Time
}

var (
	lock         sync.Mutex
	current      = nothing()
	acknowledged = map[string]write{}
	ctx          = context.Background()
)

func nothing() *counts {
	return &counts{Kinds: map[string]int{}, started: time.Now(), last: time.Now()}
}

func main() {
	var of task
	if err := json.Unmarshal([]byte(os.Args[1]), &of); err != nil {
		panic(err)
	}
	go work(of, connect(of))
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		if lines.Text() == "mark" {
			printPart()
		}
	}
}

func connect(of task) redis.UniversalClient {
	address := fmt.Sprintf("%s:%d", of.Host, of.Port)
	if of.Mode == "plain" {
		return redis.NewClient(&redis.Options{Addr: address, Password: of.Password})
	}
	options := &redis.ClusterOptions{Addrs: []string{address}, Password: of.Password}
	if of.Settings == "documented" {
		// docs/operations/connecting.md: homes are asked for every two seconds, and a member that does not answer is left after one.
		options.ClusterStateReloadInterval = 2 * time.Second
		options.DialTimeout = time.Second
		options.ReadTimeout = time.Second
		options.WriteTimeout = time.Second
		options.MaxRedirects = 8
	}
	return redis.NewClusterClient(options)
}

func work(of task, client redis.UniversalClient) {
	apart := time.Duration(float64(time.Second) / of.OperationsPerSecond)
	for n := 0; ; n++ {
		next := time.Now().Add(apart)
		if n%2 == 0 {
			set(of, client, n/2)
		} else {
			get(of, client, (n-1)/2)
		}
		time.Sleep(time.Until(next))
	}
}

func keyAt(of task, n int) string {
	return fmt.Sprintf("%s-%s-%s:%d", of.Library, of.Mode, of.Settings, n%of.Keys)
}

func set(of task, client redis.UniversalClient, n int) {
	key := keyAt(of, n)
	counted(func() error {
		err := client.Set(ctx, key, n, 0).Err()
		if err == nil {
			acknowledged[key] = write{n, time.Now()}
		}
		return err
	})
}

func get(of task, client redis.UniversalClient, n int) {
	key := keyAt(of, n+of.Keys/2)
	known, isThere := acknowledged[key]
	if !isThere || time.Since(known.at) < readAfter {
		return
	}
	counted(func() error {
		value, err := client.Get(ctx, key).Result()
		isEmpty := errors.Is(err, redis.Nil)
		if err != nil && !isEmpty {
			return err
		}
		number, _ := strconv.Atoi(value)
		lock.Lock()
		defer lock.Unlock()
		current.Reads++
		if isEmpty {
			current.Empty++
		} else if number < known.number {
			current.Old++
		}
		return nil
	})
}

func counted(operation func() error) {
	err := operation()
	lock.Lock()
	defer lock.Unlock()
	if err != nil {
		current.Errors++
		kind := err.Error()
		current.Kinds[kind[:min(len(kind), longestKind)]]++
		return
	}
	current.Operations++
	current.LongestStallMs = max(current.LongestStallMs, stallSince(current.last))
	current.last = time.Now()
}

func printPart() {
	lock.Lock()
	ended := current
	current = nothing()
	lock.Unlock()
	ended.LongestStallMs = max(ended.LongestStallMs, stallSince(ended.last))
	ended.Seconds = time.Since(ended.started).Seconds()
	text, err := json.Marshal(ended)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(text))
}

func stallSince(last time.Time) float64 {
	return float64(time.Since(last).Milliseconds())
}
