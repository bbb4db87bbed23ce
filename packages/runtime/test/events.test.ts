import { expect } from 'chai';
import { Event } from 'kubernetes-models/events.k8s.io/v1/Event';
import { describe, it } from 'mocha';
import type { EventInput, EventObject } from '../src/events/event-object.ts';
import { createEventRecorder, type EventRecorder, type EventRecorderOptions } from '../src/events/events.ts';
import { createManualClock, type ManualClock } from './support/manual-clock.ts';

const created: EventInput = {
  regarding: {
    apiVersion: 'marekvs.io/v1alpha1',
    kind: 'MarekvsCluster',
    namespace: 'shop',
    name: 'demo',
    uid: 'uid-1',
  },
  type: 'Normal',
  reason: 'NodeAdded',
  action: 'CreateNode',
  note: 'added demo-3',
};

interface Rig {
  readonly clock: ManualClock;
  readonly written: EventObject[];
  readonly results: string[];
  readonly recorder: EventRecorder;
}

function setUp(options: Partial<EventRecorderOptions> = {}): Rig {
  const clock = createManualClock();
  const written: EventObject[] = [];
  const results: string[] = [];
  const recorder = createEventRecorder({
    write: async (event) => {
      written.push(event);
    },
    reportingController: 'marekvs.io/operator',
    reportingInstance: 'operator-0',
    clock,
    hooks: { recorded: (result) => results.push(result) },
    ...options,
  });
  return { clock, written, results, recorder };
}

function run(recorder: EventRecorder): { stop: () => void; ended: Promise<void> } {
  const abort = new AbortController();
  return { ended: recorder.run(abort.signal), stop: () => abort.abort() };
}

describe('event recorder', () => {
  it('writes an event that the schema of events.k8s.io/v1 accepts', async () => {
    const { clock, written, recorder } = setUp();
    const { stop, ended } = run(recorder);
    recorder.record(created);
    await clock.run(0);
    expect(written).to.have.length(1);
    const [event] = written;
    new Event({ ...event, apiVersion: 'events.k8s.io/v1', kind: 'Event' } as ConstructorParameters<
      typeof Event
    >[0]).validate();
    expect(event?.metadata.namespace).to.equal('shop');
    expect(event?.metadata.name).to.match(/^demo\.[0-9a-f]{16}$/);
    expect(event?.eventTime).to.match(/\.\d{6}Z$/);
    expect(event).to.deep.include({ type: 'Normal', reason: 'NodeAdded', action: 'CreateNode', note: 'added demo-3' });
    expect(event).to.deep.include({ reportingController: 'marekvs.io/operator', reportingInstance: 'operator-0' });
    stop();
    await clock.run(1000);
    await ended;
  });

  it('writes the same warning once in 10 min, whatever its note, and again afterwards', async () => {
    const { clock, written, results, recorder } = setUp();
    const refused: EventInput = { ...created, type: 'Warning' };
    run(recorder);
    recorder.record(refused);
    recorder.record({ ...refused, note: 'added demo-4' });
    await clock.run(599_999);
    recorder.record(refused);
    await clock.run(1);
    recorder.record(refused);
    await clock.run(0);
    expect(written).to.have.length(2);
    expect(results.filter((result) => result === 'duplicate')).to.have.length(2);
    expect(written[0]?.metadata.name).to.not.equal(written[1]?.metadata.name);
  });

  it('writes two turns of one kind within 10 min, when their notes differ, and a repeated one once', async () => {
    const { clock, written, recorder } = setUp();
    run(recorder);
    recorder.record(created);
    recorder.record({ ...created, note: 'added demo-4' });
    recorder.record(created);
    await clock.run(0);
    expect(written.map((event) => event.note)).to.deep.equal(['added demo-3', 'added demo-4']);
  });

  it('writes different reasons, and the same reason for different objects, separately', async () => {
    const { clock, written, recorder } = setUp();
    run(recorder);
    recorder.record(created);
    recorder.record({ ...created, reason: 'NodeReady' });
    recorder.record({ ...created, regarding: { ...created.regarding, uid: 'uid-2' } });
    await clock.run(0);
    expect(new Set(written.map((event) => event.metadata.name)).size).to.equal(3);
  });

  it('uses the same name after a restart within the window, so that the server refuses the copy', async () => {
    const names: (string | undefined)[] = [];
    for (let boot = 0; boot < 2; boot++) {
      const { clock, written, recorder } = setUp();
      run(recorder);
      recorder.record(created);
      await clock.run(0);
      names.push(written[0]?.metadata.name);
    }
    expect(names[0]).to.equal(names[1]);
  });

  it('cuts a note to 1024 bytes without breaking a character', async () => {
    const { clock, written, recorder } = setUp();
    run(recorder);
    recorder.record({ ...created, note: 'é€😀'.repeat(500) });
    await clock.run(0);
    const note = written[0]?.note ?? '';
    expect(Buffer.byteLength(note)).to.be.within(1018, 1024);
    expect(note).to.not.contain('\ufffd');
    expect(note.endsWith('…')).to.equal(true);
  });

  it('counts a failed write and goes on with the next', async () => {
    const { clock, results, recorder } = setUp({ write: () => Promise.reject(new Error('403')) });
    run(recorder);
    recorder.record(created);
    recorder.record({ ...created, reason: 'Other' });
    await clock.run(0);
    expect(results).to.deep.equal(['failed', 'failed']);
  });

  it('gives up on a write that hangs after 5 s', async () => {
    const { clock, results, recorder } = setUp({ write: () => new Promise(() => {}) });
    run(recorder);
    recorder.record(created);
    await clock.run(5000);
    expect(results).to.deep.equal(['failed']);
  });

  it('drops events while 256 wait, and holds no more', async () => {
    const { clock, results, written, recorder } = setUp();
    for (let i = 0; i < 300; i++) recorder.record({ ...created, regarding: { ...created.regarding, uid: `uid-${i}` } });
    expect(results.filter((result) => result === 'dropped')).to.have.length(44);
    run(recorder);
    await clock.run(0);
    expect(written).to.have.length(256);
  });

  it('writes waiting events when it is stopped, for at most one second', async () => {
    const { clock, written, recorder } = setUp();
    const abort = new AbortController();
    recorder.record(created);
    abort.abort();
    const ended = recorder.run(abort.signal);
    await clock.run(1000);
    await ended;
    expect(written).to.have.length(1);

    const hanging = setUp({ write: () => new Promise(() => {}) });
    hanging.recorder.record(created);
    const over = hanging.recorder.run(abort.signal);
    await hanging.clock.run(1000);
    await over;
  });
});
