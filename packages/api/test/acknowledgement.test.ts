// The annotation that a person writes to acknowledge a loss of data.

import { expect } from 'chai';
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
  for (const text of [
    '',
    'true',
    'ada',
    '2026-01-01T00:00:00Z',
    '2026-01-01T00:00:00Z//ada',
    `${ONE.loss}/${ONE.at}/`,
    'a/b/c',
  ])
    it(`is not read from ${JSON.stringify(text)}`, () => {
      expect(read(text)).to.equal(undefined);
    });
  it('is missing without the annotation', () => {
    expect(acknowledgementOf({ metadata: {} })).to.equal(undefined);
  });
});
