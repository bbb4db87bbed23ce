// When a status may be written, which refusals of a write are permanent, and which rights the operator lacks.

import { REASONS } from '@marekvs/api';
import { ApiError, TransportError } from '@marekvs/runtime';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { missingAccess, NEEDS } from '../src/api-server/access-check.ts';
import { refusalOf } from '../src/api-server/write-refusal.ts';
import { STATUS_PACES, type StatusPace } from '../src/pacing/paces.ts';
import { createStatusPacer } from '../src/pacing/status-pacer.ts';

const { stillMs: STILL_MS, longestMs: LONGEST_DELAY_MS } = STATUS_PACES.cluster;

describe('the status pacer', () => {
  const status = (fingerprint: string, pace: StatusPace = 'cluster') => ({ pace, fingerprint, isUrgent: false });
  const at = (pacer: ReturnType<typeof createStatusPacer>, text: string, nowMs: number, isUrgent = false) =>
    pacer.delayMs('key', { ...status(text), isUrgent }, nowMs);

  it('lets an urgent change through at once', () => {
    expect(at(createStatusPacer(), 'a', 0, true)).to.equal(0);
  });
  it('holds a change back until it has not changed for long enough, and not one millisecond less', () => {
    const pacer = createStatusPacer();
    expect(at(pacer, 'a', 0)).to.equal(STILL_MS);
    expect(at(pacer, 'a', STILL_MS - 1)).to.equal(1);
    expect(at(pacer, 'a', STILL_MS)).to.equal(0);
  });
  it('starts to wait again when the change itself changes', () => {
    const pacer = createStatusPacer();
    at(pacer, 'a', 0);
    expect(at(pacer, 'b', 900)).to.equal(STILL_MS);
  });
  it('never holds a change longer than its limit, however it changes', () => {
    const pacer = createStatusPacer();
    for (let ms = 0; ms < LONGEST_DELAY_MS; ms += 500) {
      expect(at(pacer, String(ms), ms)).to.be.within(1, LONGEST_DELAY_MS - ms);
    }
    expect(at(pacer, 'last', LONGEST_DELAY_MS)).to.equal(0);
  });
  it('forgets what waited once it is written', () => {
    const pacer = createStatusPacer();
    at(pacer, 'a', 0);
    pacer.settle('key');
    expect(at(pacer, 'a', STILL_MS)).to.equal(STILL_MS);
  });
  it('treats each key separately', () => {
    const pacer = createStatusPacer();
    at(pacer, 'a', 0);
    expect(pacer.delayMs('other', status('a'), STILL_MS)).to.equal(STILL_MS);
  });
  it('counts each pace apart, with its own limits', () => {
    const pacer = createStatusPacer();
    const calm = (text: string, nowMs: number) => pacer.delayMs('key', status(text, 'operation'), nowMs);
    at(pacer, 'a', 0);
    expect([calm('a', 500), calm('b', 8_000), calm('c', 15_000)]).to.deep.equal([8_000, 7_500, 500]);
    expect(at(pacer, 'a', STILL_MS)).to.equal(0);
    pacer.settle('key');
    expect([at(pacer, 'c', 15_000), calm('c', 15_000)]).to.deep.equal([STILL_MS, 8_000]);
  });
});

describe('a refused write', () => {
  const api = (status: number, reason: string, detail: string) =>
    new ApiError({ verb: 'create', subject: 'pods default/demo-1', path: '/x', status, reason, detail });

  const table = [
    {
      of: 'a quota (F53)',
      error: api(
        403,
        'Forbidden',
        'pods "demo-1" is forbidden: exceeded quota: small, requested: pods=1, used: pods=2, limited: pods=2',
      ),
      is: 'QuotaExceeded',
      needsPerson: true,
    },
    {
      of: 'Pod Security',
      error: api(
        403,
        'Forbidden',
        'pods "demo-1" is forbidden: violates PodSecurity "restricted:latest": runAsNonRoot != true',
      ),
      is: 'ForbiddenByPolicy',
      needsPerson: true,
    },
    {
      of: 'an admission policy',
      error: api(403, 'Forbidden', 'admission webhook "policy.example" denied the request: no'),
      is: 'ForbiddenByPolicy',
      needsPerson: true,
    },
    {
      of: 'RBAC (F14)',
      error: api(
        403,
        'Forbidden',
        'pods is forbidden: User "system:serviceaccount:a:b" cannot create resource "pods" in API group "" in the namespace "default"',
      ),
      is: 'Unauthorized',
      needsPerson: true,
    },
    {
      of: 'a namespace that goes away (F60)',
      error: api(
        403,
        'Forbidden',
        'pods "demo-1" is forbidden: unable to create new content in namespace default because it is being terminated',
      ),
      is: 'NamespaceTerminating',
      needsPerson: false,
    },
    {
      of: 'a webhook that is down (F17)',
      error: api(
        500,
        'InternalError',
        'Internal error occurred: failed calling webhook "mutate.example": connection refused',
      ),
      is: 'ApiUnavailable',
      needsPerson: false,
    },
    {
      of: 'a full etcd (F19)',
      error: api(500, '', 'etcdserver: mvcc: database space exceeded'),
      is: 'StorageBackendFull',
      needsPerson: true,
    },
    {
      of: 'the schema',
      error: api(422, 'Invalid', 'Pod "demo-1" is invalid: spec.containers[0].image: Required value'),
      is: 'RequestInvalid',
      needsPerson: true,
    },
    {
      of: 'a bad request',
      error: api(400, 'BadRequest', 'strict decoding error: unknown field'),
      is: 'RequestInvalid',
      needsPerson: true,
    },
  ] as const;
  for (const { of, error, is, needsPerson } of table) {
    it(`because of ${of} is ${is}, ${needsPerson ? 'for a person' : 'and clears by itself'}`, () => {
      expect(refusalOf(error)).to.deep.equal({ reason: is, message: error.message, needsPerson });
      expect(REASONS).to.have.property(is);
    });
  }

  const again = [
    { of: 'a conflict (F12)', error: api(409, 'Conflict', 'the object has been modified') },
    { of: 'a name that is taken (F13)', error: api(409, 'AlreadyExists', 'exists') },
    { of: 'too many requests (F11)', error: api(429, 'TooManyRequests', 'slow down') },
    { of: 'a server error', error: api(500, 'InternalError', 'boom') },
    { of: 'a lost answer', error: new TransportError('reset', { verb: 'create', path: '/x', phase: 'reset' }) },
    { of: 'our own fault', error: new TypeError('undefined is not a function') },
  ];
  for (const { of, error } of again) {
    it(`because of ${of} is no refusal, so the pass is tried again`, () => {
      expect(refusalOf(error)).to.equal(undefined);
    });
  }
});

describe('missing access', () => {
  const exact = NEEDS.map(({ group, resource, verbs }) => ({ apiGroups: [group], resources: [resource], verbs }));
  /** The exact rules without one verb of one resource. */
  const without = (resource: string, verb: string) =>
    exact.map((rule) =>
      rule.resources.includes(resource) ? { ...rule, verbs: rule.verbs.filter((entry) => entry !== verb) } : rule,
    );

  it('is empty with exactly the required rights, and for an administrator', () => {
    expect(missingAccess(exact)).to.deep.equal([]);
    expect(missingAccess([{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }])).to.deep.equal([]);
  });
  it('contains everything when there is no rule', () => {
    expect(missingAccess([])).to.have.lengthOf(NEEDS.length);
  });
  it('names verb and resource, with the group when there is one', () => {
    expect(missingAccess(without('pods', 'delete'))).to.deep.equal(['delete pods']);
    expect(missingAccess(without('marekvsnodes', 'patch'))).to.deep.equal(['patch marekvsnodes.marekvs.io']);
  });
  it('is not satisfied by rights on a subresource, nor the other way round', () => {
    expect(missingAccess(without('marekvsclusters/status', 'update'))).to.deep.equal([
      'update marekvsclusters/status.marekvs.io',
    ]);
  });
  it('is not satisfied by a rule for objects of one name', () => {
    const named = exact.map((rule) =>
      rule.resources.includes('statefulsets') ? { ...rule, resourceNames: ['one'] } : rule,
    );
    expect(missingAccess(named)).to.deep.equal(['get statefulsets.apps']);
  });
  it('is satisfied by several rules together', () => {
    const split = exact.flatMap((rule) => rule.verbs.map((verb) => ({ ...rule, verbs: [verb] })));
    expect(missingAccess(split)).to.deep.equal([]);
  });
  it('excludes the right to delete a cluster or to read Secrets, each of which is granted by name', () => {
    expect(NEEDS.find((need) => need.resource === 'marekvsclusters')?.verbs).to.not.include('delete');
    expect(NEEDS.filter((need) => need.resource === 'secrets')).to.deep.equal([]);
  });
});
