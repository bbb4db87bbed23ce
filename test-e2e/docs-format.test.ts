// What a page of the documentation may say and how its test reads it: blocks, comments, masks, comparison. No cluster.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { difference, rewritten } from './support/docs/compare.ts';
import { masked } from './support/docs/masks.ts';
import { type Page, parsePage } from './support/docs/page.ts';
import { settingOf } from './support/docs/surroundings.ts';

const page = (...lines: readonly string[]): Page => parsePage('docs/a.md', lines.join('\n'));
const texts = ({ parts }: Page): readonly string[] =>
  parts.flatMap((part) => (part.kind === 'command' ? part.text : []));

describe('a page of the documentation', () => {
  it('is read as commands, each with the lines at which its output stands', () => {
    const { parts, problems } = page('# A', '```console', '$ one', 'out', 'more', '$ two \\', '>   three', '```');
    expect(problems).to.deep.equal([]);
    expect(parts).to.deep.equal([
      { kind: 'command', line: 3, text: 'one', output: { from: 3, to: 5 }, needs: undefined },
      { kind: 'command', line: 6, text: 'two \\\n  three', output: { from: 7, to: 7 }, needs: undefined },
    ]);
  });

  it('has one command per line of a block without output, except for continued lines and here-documents', () => {
    const read = page('```sh', '# said', 'a \\', '  b', '', "cat <<'EOF' > f", 'x', 'EOF', 'c   # why', '```');
    expect(texts(read)).to.deep.equal(['a \\\n  b', "cat <<'EOF' > f\nx\nEOF", 'c   # why']);
  });

  it('can declare a block that cannot run, write a file, and say what happens meanwhile', () => {
    const { parts, story, problems } = page(
      '<!-- story: members hosted, cluster demo of 3 -->',
      '<!-- file: a/b.yaml -->',
      '```yaml',
      'a: 1',
      '```',
      '<!-- meanwhile: the host of demo-1 is lost -->',
      '<!-- not run: needs a container engine -->',
      '```sh',
      'docker build .',
      'docker push',
      '```',
      '<!-- needs: helm -->',
      '```sh',
      'helm list',
      '```',
    );
    expect([problems, story]).to.deep.equal([[], ['members hosted', 'cluster demo of 3']]);
    expect(parts).to.deep.equal([
      { kind: 'file', line: 3, name: 'a/b.yaml', text: 'a: 1\n' },
      { kind: 'meanwhile', line: 6, sentence: 'the host of demo-1 is lost' },
      { kind: 'not run', line: 8, reason: 'needs a container engine', commands: 2 },
      { kind: 'command', line: 14, text: 'helm list', output: undefined, needs: 'helm' },
    ]);
  });

  const wrong: readonly (readonly [string, readonly string[], RegExp])[] = [
    ['commands in a block without a language', ['```', '$ kubectl get mkv', '```'], /a\.md:1: a block with `\$ `/],
    ['commands in a block of another language', ['```bash', 'ls', '```'], /a\.md:1: .*not bash/],
    ['commands in a block with a title', ['```shell-session title', '$ ls', '```'], /a\.md:1: .*not shell-session/],
    ['an indented block of commands', ['- a', '  ```sh', '  ls', '  ```'], /a\.md:2: .*first column/],
    [
      'a console block that begins with output',
      ['```console', 'out', '$ a', '```'],
      /a\.md:1: .*begins with a command/,
    ],
    ['a block of commands that has no command', ['```sh', '# none', '```'], /a\.md:1: no command/],
    ['a comment about a block that does not follow', ['<!-- not run: why -->', '', '```sh', 'a', '```'], /a\.md:1: /],
    ['a reason that says nothing', ['<!-- not run: -->', '```sh', 'a', '```'], /a\.md:1: "not run:" says nothing/],
    ['a block without an end', ['```sh', 'a'], /a\.md:1: .*no end/],
  ];
  for (const [what, lines, problem] of wrong) {
    it(`is refused with ${what}`, () => {
      expect(page(...lines).problems.join('\n')).to.match(problem);
    });
  }

  it('is played in surroundings described by known words only', () => {
    expect(settingOf(['members hosted', 'speed 3', 'cluster demo of 5'])).to.deep.include({
      options: { runner: 'hosted', speed: 3, operator: true },
      clusters: [{ name: 'demo', nodes: 5 }],
    });
    expect(() => settingOf(['members many'])).to.throw('a story knows no "members many"');
  });
});

describe('the output of a command, compared with its page,', () => {
  const same = (a: string, b: string): boolean => difference(a.split('\n'), b.split('\n')) === undefined;

  it('is the same when only ages, addresses and other things that vary by themselves differ', () => {
    expect(masked('demo-0   Active   3/3   127.31.0.1   41s')).to.equal('demo-0  Active  3/3  <address>  <age>');
    expect(same('demo-0   True   host-1   9s', 'demo-0   True   host-1   2m5s')).to.equal(true);
    expect(same('12s     Normal', '2m (x3 over 5m)   Normal')).to.equal(true);
    expect(same('silent for 8 s', 'silent for 12 s')).to.equal(true);
    expect(same('default.demo.e11ef4ea', 'default.demo.0123abcd')).to.equal(true);
  });

  it('differs when a number, a name, a phase or a limit differs', () => {
    for (const [a, b] of [
      ['demo-0   Active   3/3', 'demo-0   Active   2/3'],
      ['demo-0   Active', 'demo-1   Active'],
      ['demo   3   Healthy', 'demo   3   Blocked'],
      ['3 of 3 members', '4 of 4 members'],
      ['limit 60 s', 'limit 90 s'],
      ['10Gi', '20Gi'],
    ] as const) {
      expect(same(a, b), `${a} / ${b}`).to.equal(false);
    }
  });

  it('is the same when a removal went back to Isolating for a moment, and differs when it skipped a phase', () => {
    const way = (...phases: readonly string[]): string =>
      `  ${phases.map((phase) => `${phase} 3s`).join(' > ')} > Closed`;
    const straight = way('Claimed', 'Isolating', 'Proving', 'Deleting');
    const back = way('Claimed', 'Isolating', 'Proving', 'Isolating', 'Proving', 'Deleting');
    expect(same(straight, back)).to.equal(true);
    expect(same(straight, way('Claimed', 'Isolating', 'Deleting'))).to.equal(false);
  });

  it('is the same when a cell was cut at another character, and differs when the text before the cut does', () => {
    expect(same('4s   3 members agree; the ide…', '14s  3 members agree; the id…')).to.equal(true);
    expect(same('4s  3 members agree; the ide…', '4s  4 members agree; the ide…')).to.equal(false);
    expect(same('3 members agree; the ide…', '3 members…')).to.equal(false);
    expect(same('3 members agree', '3 members…')).to.equal(false);
  });

  it('is the same when a sentence was broken into lines elsewhere', () => {
    const first = '  removing demo-4 waits: 9 of 4,096 partitions compared, 3 records of demo-4 missing';
    const second = '  removing demo-4 waits: 1,412 of 4,096 partitions compared, 3 records of demo-4';
    expect(same(`${first}\n  on demo-2`, `${second}\n  missing on demo-2`)).to.equal(true);
    expect(same(`${first}\n  on demo-2`, `${second}\n  missing on demo-1`)).to.equal(false);
    expect(same(`${first}\n  on demo-2`, `${second.replace('3 r', '4 r')}\n  missing on demo-2`)).to.equal(false);
    expect(same('short\n  below', 'short below')).to.equal(false);
  });

  it('is the same however far a comparison was and however many records there are, not how many are missing', () => {
    expect(same('[##----]  34 %  9 of 4,096 partitions compared', '4,000 of 4,096 partitions compared')).to.equal(true);
    expect(same('9 of 4,096 partitions compared', '9 of 12,288 partitions compared')).to.equal(false);
    expect(same('demo-0  about 66,700  4,096 of 4,096', 'demo-0  about 12  4,096 of 4,096')).to.equal(true);
    expect(same('demo-0  about 66,700  4,096 of 4,096', 'demo-0  about 66,700  4,095 of 4,096')).to.equal(false);
  });

  it('is the same for a row of kubectl get mkv with other operations per second, not with another size', () => {
    expect(same('demo   3   3   0   0   Healthy', 'demo   3   3   0   17   Healthy')).to.equal(true);
    expect(same('demo   3   3   0   0   Healthy', 'demo   3   3   0       Healthy')).to.equal(true);
    expect(same('default   demo   3   3   0   0   Healthy', 'default   demo   3   3   0       Healthy')).to.equal(true);
    expect(same('demo   3   3   0   0   Healthy', 'demo   3   2   0   0   Healthy')).to.equal(false);
    expect(same('default   demo   3   3   0   0   Healthy', 'default   demo   3   2   0       Healthy')).to.equal(
      false,
    );
    expect(same('demo   3   3   0   0   Healthy', 'demo   3   3   1   0   Healthy')).to.equal(false);
  });

  it('differs when a line is missing or one line too many was printed', () => {
    expect(same('a\nb', 'a')).to.equal(false);
    expect(same('a', 'a\nb')).to.equal(false);
    expect(difference([], ['surprise'])).to.include('surprise');
  });

  it('replaces exactly the lines of the page that it belongs to, however long it is, when it is recorded', () => {
    const lines = ['$ a', 'old', 'old', '$ b', '$ c', 'kept'];
    const outputs = [
      { at: { from: 1, to: 3 }, printed: ['one'] },
      { at: { from: 4, to: 4 }, printed: ['two', 'three'] },
    ];
    expect(rewritten(lines, outputs)).to.deep.equal(['$ a', 'one', '$ b', 'two', 'three', '$ c', 'kept']);
  });

  it('may have any number of lines where the page has an ellipsis, and no additional line elsewhere', () => {
    expect(same('a\n…\nd', 'a\nb\nc\nd')).to.equal(true);
    expect(same('a\n…\nd', 'a\nd')).to.equal(true);
    expect(same('…\nc\n…', 'a\nb\nc\nd')).to.equal(true);
    expect(same('a\n…\nd', 'a\nb\nc')).to.equal(false);
    expect(same('a\n…\nx\n…\nd', 'a\nb\nd')).to.equal(false);
    expect(same('a\n…\nc\nd', 'a\nc\nd\nc\nd')).to.equal(true);
  });
});
