import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createChildAbort } from '../src/time/aborted.ts';

describe('a child of an abort signal', () => {
  it('ends with its parent, for the same reason', () => {
    const parent = new AbortController();
    const { signal } = createChildAbort(parent.signal);
    expect(signal.aborted).to.equal(false);
    parent.abort(new Error('the process ends'));
    expect(signal.reason).to.be.an('error').with.property('message', 'the process ends');
  });

  it('has ended when its parent had before', () => {
    expect(createChildAbort(AbortSignal.abort('over')).signal.reason).to.equal('over');
  });

  it('ends alone and leaves no listener with its parent', () => {
    const parent = new AbortController();
    const child = createChildAbort(parent.signal);
    expect(getEventListeners(parent.signal, 'abort')).to.have.length(1);
    child.abort();
    expect(parent.signal.aborted).to.equal(false);
    expect(getEventListeners(parent.signal, 'abort')).to.have.length(0);
  });
});
