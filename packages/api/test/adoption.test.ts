// The request to take members over, as an annotation: it is read as it was written, or not at all.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { type AdoptionRequest, ANNOTATIONS, adoptionOf, adoptionText, isDataDir, parseAdoption } from '../src/index.ts';

const REQUEST: AdoptionRequest = {
  clusterUid: 'cluster',
  statefulSetUid: 'set',
  clusterIdentity: 'marekvs',
  dataDir: '/data',
  volumes: [
    { nodeId: 0, uid: 'a' },
    { nodeId: 2, uid: 'b' },
    { nodeId: 10, uid: 'c' },
  ],
};

describe('a request to take members over', () => {
  it('is read as it was written, by id', () => {
    expect(parseAdoption(adoptionText(REQUEST))).to.deep.equal(REQUEST);
  });

  it('is not read when any part of it is missing or invalid', () => {
    const whole = JSON.parse(adoptionText(REQUEST));
    const spoiled = [
      '',
      'no JSON',
      'null',
      '[]',
      ...Object.keys(whole).map((key) => JSON.stringify({ ...whole, [key]: undefined })),
      JSON.stringify({ ...whole, volumes: {} }),
      JSON.stringify({ ...whole, volumes: ['a'] }),
      JSON.stringify({ ...whole, volumes: { '01': 'a' } }),
      JSON.stringify({ ...whole, volumes: { 0: 'a', 1: '' } }),
      JSON.stringify({ ...whole, volumes: { 65535: 'a' } }),
      JSON.stringify({ ...whole, dataDir: '/data/../etc' }),
      JSON.stringify({ ...whole, clusterIdentity: 7 }),
    ];
    for (const text of spoiled) expect(parseAdoption(text), text).to.equal(undefined);
  });

  it('counts only for the cluster that it names, not for a copy of its manifest', () => {
    const of = (uid: string, text: string) =>
      adoptionOf({ metadata: { uid, annotations: { [ANNOTATIONS.adopt]: text } } });
    expect(of('cluster', adoptionText(REQUEST))).to.deep.equal(REQUEST);
    expect(of('another', adoptionText(REQUEST))).to.equal(undefined);
    expect(of('cluster', 'spoiled')).to.equal('unreadable');
    expect(adoptionOf({ metadata: { uid: 'cluster' } })).to.equal(undefined);
  });

  it('can only name a folder on the volume', () => {
    expect(['/data', '/data/n1', '/data/a/b.c'].every(isDataDir)).to.equal(true);
    for (const path of [
      '',
      '/',
      'data',
      '/data/',
      '/database',
      '/data/..',
      '/data/../x',
      '/data//x',
      '/data/.x',
      '/data/a b',
    ])
      expect(isDataDir(path), path).to.equal(false);
  });
});
