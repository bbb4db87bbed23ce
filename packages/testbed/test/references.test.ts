// A reference that leads nowhere is found in any kind of file.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { anchorsOf } from '../src/checks/markdown.ts';
import { findReferenceProblems } from '../src/checks/references.ts';

const SERVER = '# Server\n\n## Placement\n\n<a id="h2"></a>\n\n### H2: an id\n';
const FAULTS = '# Faults\n\n| <a id="f12"></a>F12 | 409 |\n';
/** Joined at run time, so that this file itself has none of these references. */
const outside = (name: string): string => `${name}.md`;
const section = (number: number): string => `${'design'} ${number}`;

/** The problems of one more file beside two pages of the design. */
function problemsOf(path: string, text: string): string[] {
  const files = [
    { path: 'docs/design/server.md', text: SERVER },
    { path: 'docs/design/faults.md', text: FAULTS },
    { path, text },
  ];
  const there = new Set([...files.map((file) => file.path), 'docs', 'docs/decisions/zones.md']);
  return findReferenceProblems({ files, isThere: (one) => there.has(one) });
}
const ofSource = (text: string): string[] => problemsOf('packages/planner/src/plan.ts', text);
const ofPage = (text: string): string[] => problemsOf('docs/concepts.md', text);

describe('references', () => {
  it('are accepted when page, heading and named anchor exist', () => {
    expect(
      ofSource('// As in docs/design/server.md#placement, #h2.\n/** (F12), docs/decisions/zones.md */'),
    ).to.deep.equal([]);
    expect(
      ofPage('[a](design/server.md#placement) [b](design/faults.md#f12) [c](#here) [d](https://x.test)\n# Here'),
    ).to.deep.equal([]);
  });

  for (const [what, text, lost] of [
    ['a page that does not exist', '// docs/design/serve.md', 'docs/design/serve.md'],
    ['a heading that does not exist', '// docs/design/server.md#placing', 'docs/design/server.md#placing'],
    ['one of several places', ' *  docs/design/server.md#placement and #placing', 'docs/design/server.md#placing'],
    ['a page without a folder', '// see notes.md', 'notes.md'],
    ['a decision that does not exist', '// docs/decisions/zone.md', 'docs/decisions/zone.md'],
    ['a decision by its number', '// docs/decisions/0003', 'docs/decisions/0003'],
    ['a decision by its number alone', '// as decided (decision 0003)', 'decision 0003'],
    ['a fault without a row', "  it('reads again (F13)', () => {});", 'docs/design/faults.md#f13'],
    ['a hazard without a heading', '// it starts empty (H3)', 'docs/design/server.md#h3'],
    ['a page from outside in a title', `it('is so (${outside('marekvs')} 5.1)')`, outside('marekvs')],
    ['a folder from outside', `// as in ${'shared'}/notes`, `${'shared'}/notes`],
    ['a section by its number', `// the order of ${section(3)}`, section(3)],
  ] as const) {
    it(`in a source file are refused for ${what}`, () => {
      expect(ofSource(`\n${text}`)).to.deep.equal([`packages/planner/src/plan.ts:2: nothing is at ${lost}`]);
    });
  }

  for (const [what, text, lost] of [
    ['a page that does not exist', '[a](design/serve.md)', 'docs/design/serve.md'],
    ['a heading that does not exist', '[a](design/server.md#placing)', 'docs/design/server.md#placing'],
    ['a missing heading of its own', '[a](#there)', 'docs/concepts.md#there'],
    ['a page from outside', `as \`${outside('failures')}\` F16 says`, outside('failures')],
  ] as const) {
    it(`in a page are refused for ${what}`, () => {
      expect(ofPage(text)).to.deep.equal([`docs/concepts.md:1: nothing is at ${lost}`]);
    });
  }

  it('in a manifest are only checked below docs/', () => {
    expect(problemsOf('config/a.yaml', '# docs/gone.md, README.md')).to.deep.equal([
      'config/a.yaml:1: nothing is at docs/gone.md',
    ]);
  });

  it('are not looked for in the texts of a test, nor in a block of commands', () => {
    expect(problemsOf('packages/planner/test/a.test.ts', "read('docs/made-up.md');")).to.deep.equal([]);
    expect(ofPage('```sh\n[a](gone.md)\n```')).to.deep.equal([]);
  });
});

describe('the anchors of a page', () => {
  it('are those of GitHub', () => {
    const page = '# A `code` & *more*\n## The [map](x.md) of it\n## Twice\n## Twice\n```\n# none\n```\n<a id="f1"></a>';
    expect([...anchorsOf(page)]).to.deep.equal(['a-code--more', 'the-map-of-it', 'twice', 'twice-1', 'f1']);
  });
});
