// Checks the values of the chart against their schema, and its files against what the templates read, without Helm. The
// output of Helm is compared with that of kustomize in test-e2e/chart.test.ts.

import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Ajv } from 'ajv';
import { expect } from 'chai';
import { load } from 'js-yaml';
import { describe, it } from 'mocha';

const CHART = resolve(import.meta.dirname, '../../../config/chart');
const text = (path: string): string => readFileSync(join(CHART, path), 'utf8');

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
}

describe('the values of the chart', () => {
  const schema: Schema = JSON.parse(text('values.schema.json'));
  const validate = new Ajv({ strict: true, allErrors: true }).compile(schema);
  const problems = (values: unknown): readonly string[] => {
    validate(values);
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };

  for (const path of globSync('values*.yaml', { cwd: CHART })) {
    it(`of ${path} fit their schema`, () => {
      expect(problems(load(text(path)))).to.deep.equal([]);
    });
  }

  it('all have a default if the schema has them, and a comment', () => {
    const values = load(text('values.yaml')) as Readonly<Record<string, unknown>>;
    // Helm passes `global` to every chart that is part of another one.
    const { global: _, ...known } = schema.properties ?? {};
    expect(Object.keys(values).sort()).to.deep.equal(Object.keys(known).sort());
    const groups = Object.entries(known).filter(([, one]) => one.properties !== undefined);
    for (const [name, { properties = {} }] of groups)
      expect(Object.keys(values[name] ?? {}), name).to.have.members(Object.keys(properties));
    const lines = text('values.yaml').split('\n');
    const bare = lines.filter((line, index) => /^\w+:( \S|$)/.test(line) && !/^#/.test(lines[index - 1] ?? ''));
    expect(bare.map((line) => line.replace(':', ''))).to.deep.equal(groups.map(([name]) => name));
  });

  for (const [what, values, complaint] of [
    ['a name that is none', { replica: 3 }, /must NOT have additional properties/],
    ['a name that is none in a group', { image: { tga: 'x' } }, /^\/image must NOT have additional/],
    ['a log level that is none', { log: { level: 'trace' } }, /^\/log\/level/],
    ['replicas as a text', { replicas: '3' }, /^\/replicas must be integer/],
    ['more replicas than can share', { mode: 'ring', replicas: 17 }, /^\/replicas must be <= 16/],
    ['a namespace that cannot be one', { watchNamespaces: ['Team A'] }, /^\/watchNamespaces\/0/],
    ['a namespace twice', { watchNamespaces: ['a', 'a'] }, /duplicate/],
    ['a template that is none of ours', { watchNamespaces: ['{{ .Values.x }}'] }, /^\/watchNamespaces\/0/],
    ['a flag without dashes', { extraArgs: ['log-level=debug'] }, /^\/extraArgs\/0/],
    ['a digest that is none', { image: { digest: 'latest' } }, /^\/image\/digest/],
  ] as const) {
    it(`refuse ${what}`, () => {
      expect(problems(values).join('\n')).to.match(complaint);
    });
  }

  it('may name any number of replicas where one of them leads', () => {
    expect(problems({ mode: 'single', replicas: 17 })).to.deep.equal([]);
    expect(problems({ mode: 'static', replicas: 16 })).to.deep.equal([]);
  });

  it('may include what Helm adds when the chart is part of another one', () => {
    expect(problems({ global: { anything: true } })).to.deep.equal([]);
  });
});

describe('the files that the chart includes as text', () => {
  it('have each place that a template changes exactly once, because a missing one would go unnoticed', () => {
    for (const path of globSync('files/crds/*.yaml', { cwd: CHART }))
      expect(text(path).match(/\nmetadata:\n {2}name:/g), path).to.have.length(1);
    const path = 'files/monitoring/prometheus-rule.yaml';
    expect(text(path).match(/marekvs-system/g)).to.have.length(1);
    expect(text(path)).to.include('\n  namespace: marekvs-system\n');
  });
});
