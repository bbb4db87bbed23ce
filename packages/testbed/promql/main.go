// Promql judges alert rules and queries with Prometheus' own engine: it reads a task as JSON from standard input and writes what it
// found as JSON to standard output. Only the engine is used, over a storage of its own: with the database of Prometheus the build
// would take twice as long.
package main

import (
	"encoding/json"
	"fmt"
	"os"
)

// Task is what is asked. Queries are only parsed; cases are evaluated.
type Task struct {
	Queries []string `json:"queries"`
	Rules   []Rule   `json:"rules"`
	Cases   []Case   `json:"cases"`
}

// Rule is one alert.
type Rule struct {
	Alert       string            `json:"alert"`
	Expr        string            `json:"expr"`
	ForSeconds  int64             `json:"forSeconds"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

// Case is a story: series over time, and the rule that is looked at in its end.
type Case struct {
	Alert           string   `json:"alert"`
	IntervalSeconds int64    `json:"intervalSeconds"`
	AtSeconds       int64    `json:"atSeconds"`
	Series          []string `json:"series"`
}

// Found is the answer, in the order of what was asked.
type Found struct {
	Queries []Parsed   `json:"queries"`
	Cases   [][]Firing `json:"cases"`
}

// Parsed says what a query is about, or what is wrong with it.
type Parsed struct {
	Error   string   `json:"error,omitempty"`
	Metrics []string `json:"metrics"`
}

// Firing is one alert that fires.
type Firing struct {
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "promql:", err)
		os.Exit(1)
	}
}

func run() error {
	var task Task
	if err := json.NewDecoder(os.Stdin).Decode(&task); err != nil {
		return fmt.Errorf("read the task: %w", err)
	}
	found := Found{Queries: []Parsed{}, Cases: [][]Firing{}}
	for _, query := range task.Queries {
		found.Queries = append(found.Queries, parse(query))
	}
	rules := map[string]Rule{}
	for _, rule := range task.Rules {
		rules[rule.Alert] = rule
	}
	for _, one := range task.Cases {
		rule, ok := rules[one.Alert]
		if !ok {
			return fmt.Errorf("no rule %s", one.Alert)
		}
		firing, err := judge(rule, one)
		if err != nil {
			return fmt.Errorf("%s: %w", one.Alert, err)
		}
		found.Cases = append(found.Cases, firing)
	}
	return json.NewEncoder(os.Stdout).Encode(found)
}
