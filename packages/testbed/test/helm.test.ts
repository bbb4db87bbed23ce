import { expect } from 'chai';
import { describe, it } from 'mocha';
import { findHelm, type HelmPorts } from '../src/programs/helm.ts';

interface Machine {
  /** The version that each program reports. */
  readonly programs?: Readonly<Record<string, string>>;
  readonly hasGo?: boolean;
  readonly built?: string | Error;
  /** What another process does while we wait for the lock. */
  readonly builtMeanwhile?: string;
}

function machine({ programs = {}, hasGo = true, built, builtMeanwhile }: Machine) {
  const there = new Map(Object.entries(programs));
  const done: string[] = [];
  const ports: HelmPorts = {
    versionOf: (program) => Promise.resolve(there.get(program)),
    cached: '/cache/helm',
    goMissing: () => Promise.resolve(hasGo ? undefined : 'no Go compiler on the PATH'),
    build() {
      done.push('build');
      if (built instanceof Error) return Promise.reject(built);
      if (built !== undefined) there.set('/cache/helm', built);
      return Promise.resolve();
    },
    exclusively(work) {
      if (builtMeanwhile !== undefined) there.set('/cache/helm', builtMeanwhile);
      return work();
    },
  };
  return { ports, done };
}

describe('helm for the tests', () => {
  it('comes from the PATH rather than from the cache', async () => {
    const { ports, done } = machine({ programs: { helm: 'v3.17.0', '/cache/helm': 'v4.3.1' } });
    expect(await findHelm(ports)).to.deep.equal({ kind: 'here', path: 'helm', version: 'v3.17.0' });
    expect(done).to.deep.equal([]);
  });

  for (const version of ['Client: v2.17.0', 'v3.16.4', 'v5.0.0', '']) {
    it(`comes from the cache when the one in the PATH reports ${JSON.stringify(version)}`, async () => {
      const { ports, done } = machine({ programs: { helm: version, '/cache/helm': 'v4.3.1' } });
      expect(await findHelm(ports)).to.include({ kind: 'here', path: '/cache/helm' });
      expect(done).to.deep.equal([]);
    });
  }

  it('is built with Go when neither has one', async () => {
    const { ports, done } = machine({ built: 'v4.3.1' });
    expect(await findHelm(ports)).to.include({ kind: 'here', path: '/cache/helm' });
    expect(done).to.deep.equal(['build']);
  });

  it('is the one that another process has built while this one waited', async () => {
    const { ports, done } = machine({ builtMeanwhile: 'v4.3.1' });
    expect(await findHelm(ports)).to.include({ kind: 'here', path: '/cache/helm' });
    expect(done).to.deep.equal([]);
  });

  it('is missing without Go, which is reported instead of an error', async () => {
    const { ports } = machine({ hasGo: false });
    const why = 'no helm on the PATH, and no Go compiler on the PATH to build it';
    expect(await findHelm(ports)).to.deep.equal({ kind: 'missing', why });
  });

  it('is missing when the build fails, with the message of the build', async () => {
    const { ports } = machine({ built: new Error('build of helm: no route to the modules') });
    expect(await findHelm(ports)).to.deep.equal({ kind: 'missing', why: 'build of helm: no route to the modules' });
  });

  it('is missing when the built program does not run', async () => {
    const { ports } = machine({});
    expect(await findHelm(ports)).to.have.property('kind', 'missing');
  });
});
