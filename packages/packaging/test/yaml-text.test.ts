import { expect } from 'chai';
import { describe, it } from 'mocha';
import { editYaml, textAt, valueAt } from '../src/yaml-text.ts';

const TEXT = `# What it is.
kind: Thing
spec:
  # How many.
  size: 3 # or more
  limits:
    cpu: 100m
    # No more.
    memory: 1Gi
  rules:
    # The first.
    - ports:
        - port: 1
      from: [a, b]
    - ports: []
  last: end
`;
const same = (part: string): string => part;

describe('a YAML text edited in place', () => {
  it('is the same to the byte without edits', () => {
    expect(editYaml(TEXT, [], same)).to.equal(TEXT);
  });

  it('has a scalar replaced and the comment behind it kept', () => {
    const out = editYaml(TEXT, [{ kind: 'replace', at: ['spec', 'size'], with: '{{ n }}' }], same);
    expect(out).to.equal(TEXT.replace('size: 3 ', 'size: {{ n }} '));
  });

  it('has a block replaced with the comments inside of it and none outside', () => {
    const out = editYaml(TEXT, [{ kind: 'replace', at: ['spec', 'limits'], with: ' {{ l }}' }], same);
    expect(out).to.equal(TEXT.replace(/limits:[\s\S]*1Gi\n/, 'limits: {{ l }}\n'));
  });

  it('has the entry of a list replaced behind its dash', () => {
    const out = editYaml(TEXT, [{ kind: 'replace', at: ['spec', 'rules', 0], with: '{{ r }}' }], same);
    expect(out).to.equal(TEXT.replace(/- ports:\n[\s\S]*b\]/, '- {{ r }}'));
  });

  it('takes lines before and after an entry, also after the last', () => {
    const edits = [
      { kind: 'before', at: ['spec', 'rules', 1], lines: '    - x' },
      { kind: 'after', at: ['spec', 'limits'], lines: '  more: y' },
      { kind: 'after', at: ['spec', 'last'], lines: '  z: z' },
    ] as const;
    const out = editYaml(TEXT, edits, same);
    expect(out).to.equal(
      TEXT.replace('    - ports: []', '    - x\n    - ports: []')
        .replace('1Gi\n', '1Gi\n  more: y\n')
        .concat('  z: z\n'),
    );
  });

  it('passes what is kept through the function, and what is put in not', () => {
    const out = editYaml('a: x\nb: x\n', [{ kind: 'replace', at: ['a'], with: 'x' }], (part) =>
      part.replaceAll('x', 'y'),
    );
    expect(out).to.equal('a: x\nb: y\n');
  });

  it('refuses a path that leads nowhere, and edits one in the other', () => {
    expect(() => editYaml(TEXT, [{ kind: 'replace', at: ['spec', 'none'], with: '' }], same)).to.throw('no spec.none');
    const both = [
      { kind: 'replace', at: ['spec', 'limits'], with: '' },
      { kind: 'replace', at: ['spec', 'limits', 'cpu'], with: '' },
    ] as const;
    expect(() => editYaml(TEXT, both, same)).to.throw('two edits');
  });
});

describe('a place in a YAML text', () => {
  it('gives its text without the indentation, comments included', () => {
    expect(textAt(TEXT, ['spec', 'limits'])).to.equal('cpu: 100m\n# No more.\nmemory: 1Gi');
    expect(textAt(TEXT, ['spec', 'rules', 0])).to.equal('ports:\n  - port: 1\nfrom: [a, b]');
    expect(textAt(TEXT, ['spec', 'size'])).to.equal('3');
  });

  it('gives its value, and none where nothing is', () => {
    expect(valueAt(TEXT, ['spec', 'rules', 0, 'from'])).to.deep.equal(['a', 'b']);
    expect(valueAt(TEXT, ['spec', 'none'])).to.equal(undefined);
  });
});
