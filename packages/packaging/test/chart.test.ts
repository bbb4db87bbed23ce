// The chart as text, without Helm: that nothing of config/ is left out, and that values mean what config/ says. What Helm makes of
// it is compared with kustomize in test-e2e/chart.test.ts.

import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Ajv } from 'ajv';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { parse } from 'yaml';
import { BY_HAND, chartFiles, openSource, PROFILES } from '../src/index.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const source = openSource(ROOT);
const files = new Map(chartFiles(source).map(({ path, text }) => [path, text]));
const text = (path: string): string => files.get(path) ?? expect.fail(`the chart has no ${path}`);
const templates = [...files].filter(([path]) => path.startsWith('templates/'));

describe('the chart', () => {
  it('has a template of every file that config/default, config/namespaced and config/network-policy apply, but the namespace', () => {
    const folders = ['config/default', 'config/namespaced', 'config/network-policy'];
    const wanted = new Set(folders.flatMap((folder) => source.files(folder).map(({ path }) => path)));
    const made = templates.map(([, one]) => /Generated from (\S+) by/.exec(one)?.[1] ?? '');
    wanted.delete('config/namespace/namespace.yaml');
    const monitoring = source.files('config/monitoring').map(({ path }) => path);
    const ofFiles = source.filesMaps('config/monitoring').map(() => 'config/monitoring/kustomization.yaml');
    expect(made.sort()).to.deep.equal([...wanted, ...monitoring, ...ofFiles].sort());
  });

  it('names the namespace of config/ nowhere but in comments', () => {
    for (const [path, one] of templates) {
      const lines = one.split('\n').filter((line) => line.includes('marekvs-system') && !line.trim().startsWith('#'));
      expect(lines, path).to.deep.equal([]);
    }
  });

  it('has the files that are written by hand', () => {
    for (const path of BY_HAND) expect(existsSync(join(ROOT, 'config/chart', path)), path).to.equal(true);
  });

  it('has one version, that of the packages and of the image in config/manager', () => {
    const { images } = source.kustomization('config/manager');
    expect(images.map(({ newTag }) => newTag)).to.deep.equal([source.version]);
    expect(parse(text('Chart.yaml'))).to.include({ version: source.version, appVersion: source.version });
  });
});

describe('the values of the chart', () => {
  const validate = new Ajv({ strict: true, allErrors: true }).compile(JSON.parse(text('values.schema.json')));
  const problems = (values: unknown): readonly string[] => {
    validate(values);
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };

  it('are what config/manager has', () => {
    const values = parse(text('values.yaml'));
    const container = parse(source.file('config/manager/deployment.yaml').text).spec.template.spec.containers[0];
    expect(values).to.include({ replicas: 2 });
    expect(values.resources).to.deep.equal(container.resources);
    expect(values.image).to.include({ repository: container.image, pullPolicy: container.imagePullPolicy });
    expect(values.log).to.deep.equal({ format: 'json', level: 'info' });
  });

  it('keep the comments that config/ has inside of a default', () => {
    expect(text('values.yaml')).to.match(/^ {2}# No CPU limit: .*\n {2}limits:$/m);
  });

  it('fit their schema, which says the same defaults', () => {
    const values = parse(text('values.yaml'));
    expect(problems(values)).to.deep.equal([]);
    const { properties } = JSON.parse(text('values.schema.json'));
    for (const [name, value] of Object.entries(values)) {
      const schema = properties[name];
      const defaults = schema.properties === undefined || 'default' in schema ? schema.default : defaultsOf(schema);
      expect(defaults, name).to.deep.equal(value);
    }
  });

  for (const { name, folder } of PROFILES) {
    it(`of ${folder} fit the schema and are in values-${name}.yaml`, () => {
      expect(problems(parse(text(`values-${name}.yaml`)))).to.deep.equal([]);
    });
  }

  it('of config/ha are its replicas, priority and spreading, and nothing else', () => {
    const values = parse(text('values-ha.yaml'));
    expect(values).to.have.all.keys('replicas', 'priorityClassName', 'topologySpreadConstraints');
    expect(values.topologySpreadConstraints).to.have.length(2);
  });

  it('of config/namespaced/operator reach nowhere beyond a namespace', () => {
    expect(parse(text('values-team.yaml'))).to.deep.equal({
      crds: { enabled: false },
      userRoles: { enabled: false },
      deletionProtection: { enabled: false },
      flowControl: { enabled: false },
      watchNamespaces: ['{{ .Release.Namespace }}'],
    });
  });

  for (const [what, values, complaint] of [
    ['a name that is none', { replica: 3 }, /must NOT have additional properties/],
    ['a name that is none in a group', { image: { tga: 'x' } }, /^\/image must NOT have additional/],
    ['a log level that is none', { log: { level: 'trace' } }, /^\/log\/level/],
    ['replicas as a text', { replicas: '3' }, /^\/replicas must be integer/],
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

  it('accept what Helm itself puts in when the chart is part of another', () => {
    expect(problems({ global: { anything: true } })).to.deep.equal([]);
  });
});

describe('a folder config/monitoring', () => {
  let root = '';
  before(() => {
    root = mkdtempSync(join(tmpdir(), 'marekvs-chart-'));
    for (const path of ['config', 'crds', 'package.json', 'lerna.json']) {
      cpSync(join(ROOT, path), join(root, path), { recursive: true });
    }
    const folder = join(root, 'config', 'monitoring');
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    writeFileSync(
      join(folder, 'kustomization.yaml'),
      'resources: [alerts.yaml]\nconfigMapGenerator:\n  - name: board\n    files: [a.json=dashboard.json]\n' +
        '    options: { disableNameSuffixHash: true, labels: { seen: "1" } }\n',
    );
    writeFileSync(join(folder, 'dashboard.json'), '{"legend":"{{ node }}"}\n');
    writeFileSync(
      join(folder, 'alerts.yaml'),
      'kind: PrometheusRule\nmetadata:\n  namespace: marekvs-system\nspec: "of {{ $labels.cluster }}"\n',
    );
  });
  after(() => rmSync(root, { recursive: true, force: true }));

  const chart = (): ReadonlyMap<string, string> =>
    new Map(chartFiles(openSource(root)).map((file) => [file.path, file.text]));

  it('becomes templates behind a switch that is off, as config/default is without it', () => {
    expect(parse(chart().get('values.yaml') ?? '').monitoring).to.deep.equal({ enabled: false });
    expect(chart().get('templates/monitoring-alerts.yaml')).to.include('{{- if .Values.monitoring.enabled }}');
  });

  it('keeps what is a template for Prometheus from being one for Helm', () => {
    expect(chart().get('templates/monitoring-alerts.yaml')).to.include('"of {{ "{{" }} $labels.cluster }}"');
  });

  it('has what it makes of files read by Helm as it is, braces and all', () => {
    expect(chart().get('files/monitoring/dashboard.json')).to.equal('{"legend":"{{ node }}"}\n');
    const map = chart().get('templates/monitoring-board.yaml');
    expect(map).to.include('  a.json: {{ $.Files.Get "files/monitoring/dashboard.json" | toJson }}');
    expect(map).to.include('    seen: "1"');
  });

  it('with something in its kustomization that the chart cannot have is refused, not left out', () => {
    const path = join(root, 'config', 'monitoring', 'kustomization.yaml');
    writeFileSync(path, 'kind: Kustomization\nresources: [alerts.yaml]\nnamePrefix: x\n');
    expect(chart).to.throw(/monitoring\/kustomization\.yaml: the chart cannot be made of namePrefix/);
  });

  it('is the only thing that would be missing: every other folder is known to the chart', () => {
    const known = new Set([...source.foldersOf('config/ha'), ...source.foldersOf('config/namespaced')]);
    const others = ['config/network-policy', 'config/monitoring', 'config/samples', 'config/samples/team', 'config/ha'];
    const all = globSync('config/**/kustomization.yaml', { cwd: ROOT }).map((path) => path.replace(/\/[^/]*$/, ''));
    expect(all.filter((folder) => !known.has(folder) && !others.includes(folder))).to.deep.equal([]);
  });
});

function defaultsOf(schema: { readonly properties: Readonly<Record<string, { readonly default: unknown }>> }): unknown {
  return Object.fromEntries(Object.entries(schema.properties).map(([name, one]) => [name, one.default]));
}
