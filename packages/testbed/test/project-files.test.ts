// Files of the project that no program of ours reads: those of the hosted CI, and the pages at the top. What they name
// has to exist.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { load } from 'js-yaml';
import { describe, it } from 'mocha';
import { projectRoot } from '../src/paths.ts';

interface Step {
  readonly uses?: string;
  readonly run?: string;
}
interface Job {
  readonly steps: readonly Step[];
  readonly needs?: string | readonly string[];
  readonly 'timeout-minutes'?: number;
  readonly strategy?: { readonly matrix: { readonly shard: readonly string[] } };
}

const read = (path: string): string => readFileSync(join(projectRoot, path), 'utf8');
const find = (pattern: string): string[] => globSync(pattern, { cwd: projectRoot }).sort();
const scripts: Readonly<Record<string, string>> = JSON.parse(read('package.json')).scripts;
const scriptsIn = (text: string): string[] =>
  [...text.matchAll(/npm run (?:-s )?([a-z:-]+)/g)].map(([, name = '']) => name);

function jobsOf(path: string): Readonly<Record<string, Job>> {
  // The CI knows the schema of a workflow; the parts that are read here fail if they do not have this form.
  return (load(read(path)) as { readonly jobs: Readonly<Record<string, Job>> }).jobs;
}
const workflows = find('.github/workflows/*.yaml');
const jobs = workflows.flatMap((path) =>
  Object.entries(jobsOf(path)).map(([name, job]) => ({ name: `${path} ${name}`, job })),
);

describe('the workflows of the hosted CI', () => {
  it('run only scripts and programs that exist', () => {
    const commands = jobs.flatMap(({ job }) => job.steps.flatMap(({ run = '' }) => run));
    expect(commands.flatMap(scriptsIn)).to.include.members(['check', 'release']);
    expect(commands.flatMap(scriptsIn).filter((name) => !(name in scripts))).to.deep.equal([]);
    const programs = commands.flatMap((text) => text.match(/\S+\.ts\b/g) ?? []);
    expect(programs.filter((path) => !existsSync(join(projectRoot, path)))).to.deep.equal([]);
  });

  it('run every part of the gate, and every shard of the journeys', () => {
    const all = Object.values(jobsOf('.github/workflows/ci.yaml'));
    const commands = all.flatMap(({ steps }) => steps.flatMap(({ run = [] }) => run));
    expect(commands).to.include.members(['npm run check', 'npm test -- --part lives']);
    const [journeys] = all.filter(({ steps }) => steps.some(({ run = '' }) => run.includes('--part journeys')));
    const shards = journeys?.strategy?.matrix.shard ?? [];
    expect(shards).to.deep.equal(shards.map((_, index) => `${index + 1}/${shards.length}`)).and.not.be.empty;
  });

  it('use actions by their major version, and have a time limit for each job', () => {
    for (const { name, job } of jobs) {
      for (const { uses } of job.steps) if (uses !== undefined) expect(uses, name).to.match(/^[\w-]+\/[\w-]+@v\d+$/);
      expect(job['timeout-minutes'], name).to.be.within(1, 60);
    }
  });

  it('name no registry, which is left to the settings of the repository', () => {
    for (const path of workflows) expect(read(path), path).to.not.match(/\b(registry|ghcr|docker|quay)\.[a-z]+\b/);
  });
});

describe('the required version of Node', () => {
  it('is the same on every page, in the project and in the plugin', () => {
    const named = ['README.md', 'CONTRIBUTING.md', ...find('docs/**/*.md'), ...find('config/**/*.md')].flatMap((page) =>
      [...read(page).matchAll(/Node (\d+(?:\.\d+)*)(?= or newer)/g)].map(([, version]) => `${version}`),
    );
    expect(named).to.have.length.above(3);
    const engines = ['package.json', 'packages/cli/package.json'].map((path) => JSON.parse(read(path)).engines.node);
    expect(new Set([...named.map((version) => `>=${version}`), ...engines])).to.have.lengthOf(1);
  });
});

describe('the pages at the top', () => {
  const pages = find('*.md');

  it('name no script that does not exist', () => {
    for (const page of pages)
      expect(
        scriptsIn(read(page)).filter((name) => !(name in scripts)),
        page,
      ).to.deep.equal([]);
    expect(scriptsIn(read('CONTRIBUTING.md'))).to.include.members(['unit', 'debug', 'check', 'release']);
  });

  it('are short enough to be read: the README has at most 140 lines, AGENTS.md is one page', () => {
    expect(read('README.md').split('\n').length - 1).to.be.at.most(140);
    expect(read('AGENTS.md').split('\n').length - 1).to.be.at.most(90);
  });
});

describe('the contents pages', () => {
  for (const folder of ['docs', 'docs/operations', 'docs/design', 'docs/decisions']) {
    it(`name every page of ${folder}`, () => {
      const contents = [`${folder}/README.md`, 'docs/README.md'].filter((page) => existsSync(join(projectRoot, page)));
      const named = contents.map(read).join('\n');
      const pages = find(`${folder}/*.md`).map((page) => page.slice(page.lastIndexOf('/') + 1));
      expect(pages.length).to.be.greaterThan(4);
      expect(pages.filter((page) => page !== 'README.md' && !named.includes(page))).to.deep.equal([]);
    });
  }
});
