// validate against the table with which the API server's own answers are compared, and the places that it names.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { dump } from 'js-yaml';
import { describe, it } from 'mocha';
import { OBJECT_CASES } from '../../api/test/objects.ts';
import { EXIT } from '../src/index.ts';
import { validateText } from '../src/verbs/validate/validate-text.ts';
import { runFake } from './support/fake-cli.ts';
import { serverWith } from './support/fake-server.ts';
import { NOW_MS } from './support/objects.ts';

const errorsOf = (text: string) =>
  validateText(text).flatMap(({ problems }) => problems.filter(({ kind }) => kind === 'error'));

describe('validate', () => {
  // Rules about a change need the stored object, which is not available offline.
  for (const row of OBJECT_CASES.filter((one) => one.old === undefined)) {
    it(`${row.valid ? 'accepts' : 'refuses'} ${row.title}`, () => {
      const errors = errorsOf(dump(row.object));
      if (row.valid) expect(errors).to.deep.equal([]);
      else {
        const named = errors.filter(({ path, message }) => path === row.field || message.startsWith(row.field ?? '-'));
        expect(named, errors.map(({ path, message }) => `${path}: ${message}`).join('; ')).to.not.have.lengthOf(0);
      }
    });
  }

  it('names line and column of each problem, in every document of a file', () => {
    const text = [
      '# a comment',
      'apiVersion: marekvs.io/v1alpha1',
      'kind: MarekvsCluster',
      'metadata: {name: demo}',
      'spec:',
      '  image: a:b',
      '  nodes: 0',
      '---',
      'apiVersion: marekvs.io/v1alpha1',
      'kind: MarekvsCluster',
      'metadata: {name: demo}',
      'spec:',
      '  image: a:b',
      '  extra:',
      '    deep: 1',
    ];
    const places = errorsOf(text.join('\n')).map(({ path, line, column }) => [path, line, column]);
    expect(places).to.deep.equal([
      ['spec.nodes', 7, 10],
      ['spec.extra', 15, 5],
    ]);
  });

  it('checks the objects of a List, as kubectl get prints it, and names those of unknown kinds', () => {
    const text = [
      'apiVersion: v1',
      'kind: List',
      'items:',
      '  - apiVersion: marekvs.io/v1alpha1',
      '    kind: MarekvsCluster',
      '    metadata: {name: demo}',
      '    spec: {image: "a:b"}',
      '  - {apiVersion: v1, kind: Service, metadata: {name: other}}',
      '  - apiVersion: marekvs.io/v1alpha1',
      '    kind: MarekvsCluster',
      '    metadata: {name: second}',
      '    spec:',
      '      image: a:b',
      '      nodes: 0',
    ];
    const verdicts = validateText(text.join('\n'));
    expect(verdicts.map(({ what, isChecked }) => [what, isChecked])).to.deep.equal([
      ['MarekvsCluster demo', true],
      ['Service other', false],
      ['MarekvsCluster second', true],
    ]);
    const [problem, ...rest] = verdicts.flatMap(({ problems }) => problems);
    expect(problem).to.include({ path: 'spec.nodes', line: 14, column: 14 });
    expect(rest).to.deep.equal([]);
  });

  it('names the line of a syntax error, of a duplicate key, and of a tab', () => {
    const head = 'apiVersion: marekvs.io/v1alpha1\nkind: MarekvsCluster\nmetadata: {name: demo}\nspec:\n  image: a:b\n';
    expect(errorsOf(`${head}  image: c:d\n`)[0]).to.include({ line: 6 });
    expect(errorsOf(`${head}\tnodes: 3\n`)[0]).to.include({ line: 6 });
    expect(errorsOf('spec: [1, 2\n')).to.not.have.lengthOf(0);
  });

  it('does not check objects of other kinds, and tolerates documents that are not objects', () => {
    expect(validateText('apiVersion: v1\nkind: Secret\nmetadata: {name: x}\n')).to.deep.equal([
      { what: 'Secret x', isChecked: false, problems: [] },
    ]);
    for (const text of ['', '- 1\n', '"text"', 'null\n', '{}']) expect(errorsOf(text), text).to.deep.equal([]);
  });

  it('is fast with aliases of aliases', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let i = 1; i < 12; i += 1)
      lines.push(`a${i}: &a${i} [${Array.from({ length: 10 }, () => `*a${i - 1}`).join(', ')}]`);
    // Expanded, these would be 10^11 values, and the test would never end.
    const text = `apiVersion: marekvs.io/v1alpha1\nkind: MarekvsCluster\n${lines.join('\n')}\n`;
    expect(validateText(text)).to.deep.equal([{ what: 'a document without a kind', isChecked: false, problems: [] }]);
  });

  it('accepts the shipped sample without a warning, also with the size of the existing operator’s example', async () => {
    const sample = readFileSync(join(import.meta.dirname, '..', '..', '..', 'config', 'samples', 'demo.yaml'), 'utf8');
    const autoscale = '  autoscale:\n    minNodes: 3\n    maxNodes: 8\n    targetOpsPerNode: 5000\n';
    const run = (text: string) =>
      runFake(['validate', '-f', 'demo.yaml'], { server: serverWith(), nowMs: NOW_MS, files: { 'demo.yaml': text } });
    const good = await run(sample);
    expect([good.code, good.out]).to.deep.equal([EXIT.fine, 'demo.yaml: MarekvsCluster demo is valid\n']);
    expect((await run(`${sample.trimEnd()}\n${autoscale}`)).out).to.equal('demo.yaml: MarekvsCluster demo is valid\n');
    const bad = await run(sample.replace('replicationFactor: 2', 'replicationFactor: 99'));
    expect([bad.code, bad.out]).to.deep.equal([
      EXIT.failed,
      'demo.yaml:8:22: spec.replicationFactor must be a whole number between 1 and 16\n',
    ]);
  });
});
