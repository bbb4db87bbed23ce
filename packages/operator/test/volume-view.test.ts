// The size and attributes of a claim, as the API server shows them while a volume grows.

import type { PersistentVolumeClaim } from '@marekvs/runtime';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { toVolumeView } from '../src/caches/volume-view.ts';

const SINCE = '2026-01-01T00:00:00Z';
const SINCE_MS = Date.parse(SINCE);
type Status = NonNullable<PersistentVolumeClaim['status']>;

const view = (status: Status, spec: PersistentVolumeClaim['spec'] = {}) =>
  toVolumeView({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'data-demo-0' }, spec, status });
const standing = (type: string, message?: string) => ({
  type,
  status: 'True' as const,
  lastTransitionTime: SINCE,
  ...(message === undefined ? {} : { message }),
});

describe('a claim that grows', () => {
  it('has the size in its status, which is not the size it asks for', () => {
    const seen = view({ capacity: { storage: '10Gi' } }, { resources: { requests: { storage: '20Gi' } } });
    expect([seen.capacity, seen.requestedSize]).to.deep.equal(['10Gi', '20Gi']);
  });
  it('reports no growth when there is none', () => {
    expect(view({ phase: 'Bound' }).growth).to.equal(undefined);
    expect(view({ conditions: [{ ...standing('Resizing'), status: 'False' }] }).growth).to.equal(undefined);
  });
  it('is under way since its provider began', () => {
    expect(view({ conditions: [standing('Resizing')] }).growth).to.deep.equal({ kind: 'underWay', sinceMs: SINCE_MS });
  });
  it('waits for its file system, also when the condition of the provider is still there', () => {
    const conditions = [standing('Resizing'), standing('FileSystemResizePending')];
    expect(view({ conditions }).growth).to.deep.equal({ kind: 'fileSystem', sinceMs: SINCE_MS });
  });
  it('has failed in the words of its condition, whatever else it reports', () => {
    const conditions = [standing('FileSystemResizePending'), standing('NodeResizeError', 'no such device')];
    expect(view({ conditions }).growth).to.deep.equal({ kind: 'failed', message: 'no such device' });
  });
  it('has failed when its provider reports it as infeasible', () => {
    const seen = view({ allocatedResourceStatuses: { storage: 'ControllerResizeInfeasible' } });
    expect(seen.growth).to.deep.equal({ kind: 'failed', message: 'its provider calls it ControllerResizeInfeasible' });
  });
});

describe('a claim with a VolumeAttributesClass', () => {
  it('has the class in its status', () => {
    const seen = view({ currentVolumeAttributesClassName: 'slow' }, { volumeAttributesClassName: 'fast' });
    expect(seen.attributes).to.deep.equal({ asked: 'fast', current: 'slow', problem: undefined });
  });
  it('says why it has another class than it asks for', () => {
    const infeasible = { targetVolumeAttributesClassName: 'fast', status: 'Infeasible' as const };
    expect(view({ modifyVolumeStatus: infeasible }).attributes.problem).to.equal('its provider calls it infeasible');
    const conditions = [standing('ModifyVolumeError', 'too many IOPS')];
    expect(view({ conditions }).attributes.problem).to.equal('too many IOPS');
  });
});
