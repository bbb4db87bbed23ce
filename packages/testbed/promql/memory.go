package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
	"github.com/prometheus/prometheus/tsdb/chunks"
	"github.com/prometheus/prometheus/util/annotations"
)

// memory is a storage of a few series that are all there from the beginning.
type memory []storage.Series

// load reads the notation of Prometheus' own tests: `metric{label="value"} 0 1+2x10 _ stale`.
func load(story Case) (memory, error) {
	series := memory{}
	for _, text := range story.Series {
		metric, values, err := queries.ParseSeriesDesc(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", text, err)
		}
		samples := []chunks.Sample{}
		for index, value := range values {
			if !value.Omitted {
				samples = append(samples, point{int64(index) * story.IntervalSeconds * 1000, value.Value})
			}
		}
		series = append(series, storage.NewListSeries(metric, samples))
	}
	slices.SortFunc(series, func(a, b storage.Series) int { return labels.Compare(a.Labels(), b.Labels()) })
	return series, nil
}

func (m memory) Querier(_, _ int64) (storage.Querier, error) { return m, nil }

func (m memory) Select(_ context.Context, _ bool, _ *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
	chosen := &seriesSet{at: -1}
	for _, series := range m {
		metric := series.Labels()
		if !slices.ContainsFunc(matchers, func(one *labels.Matcher) bool { return !one.Matches(metric.Get(one.Name)) }) {
			chosen.series = append(chosen.series, series)
		}
	}
	return chosen
}

func (m memory) LabelValues(context.Context, string, *storage.LabelHints, ...*labels.Matcher) ([]string, annotations.Annotations, error) {
	return nil, nil, nil
}

func (m memory) LabelNames(context.Context, *storage.LabelHints, ...*labels.Matcher) ([]string, annotations.Annotations, error) {
	return nil, nil, nil
}

func (m memory) Close() error { return nil }

type seriesSet struct {
	series []storage.Series
	at     int
}

func (s *seriesSet) Next() bool {
	s.at++
	return s.at < len(s.series)
}
func (s *seriesSet) At() storage.Series                { return s.series[s.at] }
func (s *seriesSet) Err() error                        { return nil }
func (s *seriesSet) Warnings() annotations.Annotations { return nil }

// point is one value at one time, in milliseconds.
type point struct {
	t int64
	f float64
}

func (p point) ST() int64                     { return 0 }
func (p point) T() int64                      { return p.t }
func (p point) F() float64                    { return p.f }
func (p point) H() *histogram.Histogram       { return nil }
func (p point) FH() *histogram.FloatHistogram { return nil }
func (p point) Type() chunkenc.ValueType      { return chunkenc.ValFloat }
func (p point) Copy() chunks.Sample           { return p }
