// The annotation that a person writes to acknowledge a loss of data.

import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { ANNOTATIONS, acknowledgementOf, acknowledgementText } from '../src/index.ts';

const read = (text: string) =>
  acknowledgementOf({ metadata: { annotations: { [ANNOTATIONS.acknowledgedLoss]: text } } });
const ONE = { loss: '2026-01-01T00:00:00Z', at: '2026-01-02T00:00:00.000Z', by: 'system:serviceaccount:a/b' };

describe('an acknowledgement', () => {
  it('is read as it was written, even if the name contains slashes', () => {
    expect(read(acknowledgementText(ONE))).to.deep.equal(ONE);
  });
  it('has a name of one line and of bounded length', () => {
    expect(
      acknowledgementText({ ...ONE, by: 'a\n\u202eb' })
        .split('/')
        .slice(2),
    ).to.deep.equal(['a b']);
    expect(read(acknowledgementText({ ...ONE, by: 'x'.repeat(5_000) }))?.by).to.have.length(128);
  });
  it('has no half character at its end, which the API server would store as another one', () => {
    const by = `${'x'.repeat(127)}\u{1f642}`;
    expect(acknowledgementText({ ...ONE, by }).isWellFormed()).to.equal(true);
    expect(read(`${ONE.loss}/${ONE.at}/${by}`)?.by).to.equal('x'.repeat(127));
  });
  it('is read whatever the name is, even if nothing of it can be written', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (by) => {
        expect(read(acknowledgementText({ ...ONE, by }))).to.include({ loss: ONE.loss, at: ONE.at });
      }),
    );
    expect(read(acknowledgementText({ ...ONE, by: '\u200b' }))?.by).to.equal('unnamed');
  });
  for (const text of [
    '',
    'true',
    'ada',
    '2026-01-01T00:00:00Z',
    '2026-01-01T00:00:00Z//ada',
    `${ONE.loss}/${ONE.at}/`,
    'a/b/c',
    `2026-02-30T00:00:00Z/${ONE.at}/ada`,
    `${ONE.loss}/2026-02-30T00:00:00Z/ada`,
    `${ONE.loss}/2026-01-02T24:00:00Z/ada`,
    `${ONE.loss}/2026-01-02T00:00:60Z/ada`,
  ])
    it(`is not read from ${JSON.stringify(text)}`, () => {
      expect(read(text)).to.equal(undefined);
    });
  it('is missing without the annotation', () => {
    expect(acknowledgementOf({ metadata: {} })).to.equal(undefined);
  });
});
