package main

import (
	"context"
	"fmt"
	"net/url"
	"sort"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/template"
)

var (
	queries = parser.NewParser(parser.Options{})
	engine  = promql.NewEngine(promql.EngineOpts{
		MaxSamples:           1_000_000,
		Timeout:              10 * time.Second,
		LookbackDelta:        5 * time.Minute,
		EnableAtModifier:     true,
		EnableNegativeOffset: true,
	})
)

// What Prometheus puts before every template of an alert.
const preamble = "{{$labels := .Labels}}{{$externalLabels := .ExternalLabels}}{{$externalURL := .ExternalURL}}{{$value := .Value}}"

func parse(query string) Parsed {
	expr, err := queries.ParseExpr(query)
	if err != nil {
		return Parsed{Error: err.Error(), Metrics: []string{}}
	}
	seen := map[string]bool{}
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		if selector, ok := node.(*parser.VectorSelector); ok {
			seen[selector.Name] = true
		}
		return nil
	})
	metrics := []string{}
	for name := range seen {
		metrics = append(metrics, name)
	}
	sort.Strings(metrics)
	return Parsed{Metrics: metrics}
}

// judge evaluates the rule at every interval up to the end of the case, as Prometheus would, and returns what fires then.
func judge(rule Rule, story Case) ([]Firing, error) {
	series, err := load(story)
	if err != nil {
		return nil, err
	}
	activeSince := map[string]int64{}
	firing := []Firing{}
	for at := int64(0); at <= story.AtSeconds; at += story.IntervalSeconds {
		vector, err := evaluate(series, rule.Expr, at)
		if err != nil {
			return nil, err
		}
		present := map[string]bool{}
		firing = []Firing{}
		for _, sample := range vector {
			key := sample.Metric.String()
			present[key] = true
			if _, ok := activeSince[key]; !ok {
				activeSince[key] = at
			}
			if at-activeSince[key] < rule.ForSeconds {
				continue
			}
			one, err := describe(rule, sample, at)
			if err != nil {
				return nil, err
			}
			firing = append(firing, one)
		}
		for key := range activeSince {
			if !present[key] {
				delete(activeSince, key)
			}
		}
	}
	return firing, nil
}

func evaluate(series memory, expr string, atSeconds int64) (promql.Vector, error) {
	query, err := engine.NewInstantQuery(context.Background(), series, nil, expr, time.Unix(atSeconds, 0))
	if err != nil {
		return nil, err
	}
	defer query.Close()
	result := query.Exec(context.Background())
	if result.Err != nil {
		return nil, result.Err
	}
	switch value := result.Value.(type) {
	case promql.Vector:
		return value, nil
	case promql.Scalar:
		return promql.Vector{{T: value.T, F: value.V}}, nil
	default:
		return nil, fmt.Errorf("%s is no vector", expr)
	}
}

// describe fills in the templates of the rule's labels and annotations.
func describe(rule Rule, sample promql.Sample, atSeconds int64) (Firing, error) {
	own := map[string]string{}
	sample.Metric.Range(func(label labels.Label) {
		if label.Name != labels.MetricName {
			own[label.Name] = label.Value
		}
	})
	data := template.AlertTemplateData(own, nil, "", sample)
	expand := func(texts map[string]string, into map[string]string) error {
		for name, text := range texts {
			filled, err := template.NewTemplateExpander(
				context.Background(), preamble+text, name, data, model.Time(atSeconds*1000), nil, &url.URL{}, nil,
			).Expand()
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			into[name] = filled
		}
		return nil
	}
	firing := Firing{Labels: map[string]string{}, Annotations: map[string]string{}}
	for name, value := range own {
		firing.Labels[name] = value
	}
	if err := expand(rule.Labels, firing.Labels); err != nil {
		return firing, err
	}
	return firing, expand(rule.Annotations, firing.Annotations)
}
