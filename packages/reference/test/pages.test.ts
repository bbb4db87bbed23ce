// The committed pages are complete. Their links are checked with all others (`npm run check`).

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ANNOTATIONS, CLUSTER_CONDITION_TYPES, LABELS, REASONS } from '@marekvs/api';
import { CLUSTER_KIND, NODE_KIND, objectSchema } from '@marekvs/api/reference';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { madeFiles } from '../src/files.ts';
import { metricCatalogue } from '../src/metrics/catalogue.ts';
import { labelText } from '../src/metrics/labels.ts';
import { fieldsOf } from '../src/pages/fields.ts';
import { table } from '../src/text/markdown.ts';
import { LATER_FIELDS } from '../src/text/since.ts';
import { givenReasons } from './given-reasons.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const FILES = madeFiles();
const pageOf = (path: string): string => FILES.find((file) => file.path === path)?.text ?? '';

describe('the generated files', () => {
  it('name and describe every field of both kinds', () => {
    for (const kind of [CLUSTER_KIND, NODE_KIND]) {
      const page = pageOf(`docs/reference/${kind.kind.toLowerCase()}.md`);
      const paths = fieldsOf(objectSchema(kind))
        .map(({ path }) => path)
        .filter((path) => /^(spec|status)\./.test(path));
      expect(paths.length).to.be.greaterThan(60);
      expect(paths.filter((path) => !page.includes(`| \`${path}\` |`))).to.deep.equal([]);
      const undescribed = page.split('\n').filter((line) => /^\| `(spec|status)\..*\| {2}\| [0-9.]+ \|$/.test(line));
      expect(undescribed).to.deep.equal([]);
    }
  });

  it('name only existing fields as those of later versions', () => {
    const known = [CLUSTER_KIND, NODE_KIND].flatMap((kind) =>
      fieldsOf(objectSchema(kind)).map(({ path }) => `${kind.kind} ${path}`),
    );
    expect(Object.keys(LATER_FIELDS).filter((path) => !known.includes(path))).to.deep.equal([]);
  });

  it('have a paragraph with an anchor for every reason', () => {
    const page = pageOf('docs/errors.md');
    expect(Object.keys(REASONS).filter((reason) => !page.includes(`\n### ${reason}\n`))).to.deep.equal([]);
  });

  it('have every condition, label and annotation', () => {
    for (const type of CLUSTER_CONDITION_TYPES)
      expect(pageOf('docs/reference/conditions.md')).to.include(`| \`${type}\` |`);
    for (const key of [...Object.values(LABELS), ...Object.values(ANNOTATIONS)])
      expect(pageOf('docs/reference/labels-and-annotations.md')).to.include(`| \`${key}\` |`);
  });

  it('have one page about what this version does not do, to which the first screen of the README links', () => {
    expect(pageOf('docs/limits.md')).to.match(/^# What 0\.1 does not do\n/);
    const firstScreen = readFileSync(join(ROOT, 'README.md'), 'utf8').split('\n').slice(0, 24).join('\n');
    expect(firstScreen).to.include('(docs/limits.md)');
  });

  it('say what the server itself loses, with the figures that were seen', () => {
    const [, losses] = pageOf('docs/limits.md').split('## What the server itself loses\n');
    for (const seen of ['13 of them', 'the slower clock loses', '0 on both homes', '27 of 3,216', 'PFMERGE copy key'])
      expect(losses).to.include(seen);
  });

  it('have placeholders only in code: elsewhere they are HTML, and vanish', () => {
    for (const { path, text } of FILES.filter((file) => file.path.endsWith('.md'))) {
      const prose = text.replaceAll(/```.*?```|`[^`]*`|<!--.*?-->/gs, '');
      expect(prose.match(/<[a-z][^>]*>/gi) ?? [], path).to.deep.equal([]);
    }
  });

  it('say of a list, too, that it must not be empty', () => {
    expect(pageOf('docs/reference/marekvscluster.md')).to.match(
      /nodeSelectorTerms` \| list of object \| required \| not empty, 32 entries \|/,
    );
  });

  it('have no reason that nothing gives', () => {
    const given: ReadonlySet<string> = givenReasons(ROOT);
    expect(Object.keys(REASONS).filter((reason) => !given.has(reason))).to.deep.equal([]);
  });
});

describe('the catalogue of metrics', () => {
  it('limits the series of every family', () => {
    for (const { name, bound } of metricCatalogue()) expect(bound, name).to.be.within(1, 3000);
  });

  it('names objects only in families that show what is wrong or under way', () => {
    const naming = metricCatalogue().filter(({ labels }) =>
      labels.some(({ name }) => name === 'cluster' || name === 'node'),
    );
    expect(naming.map(({ name }) => name.replace('marekvs_operator_', '')).sort()).to.deep.equal([
      'cluster_last_success_timestamp_seconds',
      'cluster_one_zone_ratio',
      'cluster_stuck_since_timestamp_seconds',
      'cluster_update_members',
      'cluster_update_since_timestamp_seconds',
      'member_disk_used_ratio',
      'member_silent_since_timestamp_seconds',
      'operation_started_timestamp_seconds',
    ]);
  });

  it('refuses a label without a description', () => {
    expect(() => labelText('queue_depth', 'pod')).to.throw(/nothing about queue_depth pod/);
  });
});

describe('a table', () => {
  it('is not ended by a bar or a line break in a cell', () => {
    expect(table(['a'], [['x|y\nz']])).to.equal('| a |\n|---|\n| x\\|y z |');
  });
});
