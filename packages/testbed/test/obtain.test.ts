import { expect } from 'chai';
import { describe, it } from 'mocha';
import { NoControlPlaneError, TestbedError } from '../src/errors.ts';
import type { ProgramName } from '../src/programs/binaries.ts';
import { BuildFailedError, type ObtainPorts, obtainPrograms } from '../src/programs/obtain.ts';

const REQUIRED: readonly ProgramName[] = ['etcd', 'kube-apiserver', 'kubectl'];
const ALL: readonly ProgramName[] = [...REQUIRED, 'kube-controller-manager'];

interface Machine {
  readonly assets?: readonly ProgramName[];
  readonly cache?: readonly ProgramName[];
  readonly isOnline?: boolean;
  readonly hasGo?: boolean;
  readonly buildFails?: Error;
}

/** A machine in memory: its files, what works on it, and what was done. */
function machine(m: Machine): { readonly ports: ObtainPorts; readonly done: string[] } {
  const done: string[] = [];
  const folders: Record<string, Set<ProgramName>> = { '/assets': new Set(m.assets), '/cache': new Set(m.cache) };
  const add = (names: readonly ProgramName[]): void => {
    for (const name of names) folders['/cache']?.add(name);
  };
  const ports: ObtainPorts = {
    assetsFolder: m.assets === undefined ? undefined : '/assets',
    cacheFolder: '/cache',
    missing: (folder, names = REQUIRED) => Promise.resolve(names.filter((name) => folders[folder]?.has(name) !== true)),
    download() {
      done.push('download');
      if (m.isOnline !== true) return Promise.reject(new TestbedError('no connection'));
      add(REQUIRED);
      return Promise.resolve();
    },
    goMissing: () => Promise.resolve(m.hasGo === true ? undefined : 'no Go compiler on the PATH'),
    build(names) {
      done.push(`build ${names.join(' ')}`);
      if (m.buildFails !== undefined) return Promise.reject(m.buildFails);
      add(names);
      return Promise.resolve();
    },
    exclusively: (_report, work) => work(),
  };
  return { ports, done };
}

async function obtain(m: Machine) {
  const { ports, done } = machine(m);
  const programs = await obtainPrograms(ports, () => undefined);
  return {
    done,
    apiServer: programs.apiServer,
    controllerManager: programs.controllerManager,
    missing: programs.controllerManagerMissing,
  };
}

async function failure(m: Machine): Promise<Error> {
  return obtain(m).then(
    () => expect.fail('obtained'),
    (err: unknown) => (err instanceof Error ? err : expect.fail('no Error')),
  );
}

describe('obtaining the control plane', () => {
  it('uses KUBEBUILDER_ASSETS rather than anything else', async () => {
    expect(await obtain({ assets: ALL, cache: ALL, isOnline: true, hasGo: true })).to.deep.equal({
      done: [],
      apiServer: '/assets/kube-apiserver',
      controllerManager: '/assets/kube-controller-manager',
      missing: undefined,
    });
  });

  it('refuses an incomplete KUBEBUILDER_ASSETS with the missing names and exit code 2', async () => {
    const err = await failure({ assets: ['etcd'], cache: ALL });
    expect(err.message).to.match(/KUBEBUILDER_ASSETS=\/assets has no kube-apiserver, kubectl/);
    expect(err).to.be.instanceOf(TestbedError).and.to.have.property('exitCode', 2);
  });

  it('downloads nothing when the cache is complete', async () => {
    expect((await obtain({ cache: ALL, isOnline: true })).done).to.deep.equal([]);
  });

  it('prefers the download and builds only the controller manager, which the archive does not have', async () => {
    const { done, controllerManager } = await obtain({ isOnline: true, hasGo: true });
    expect(done).to.deep.equal(['download', 'build kube-controller-manager']);
    expect(controllerManager).to.equal('/cache/kube-controller-manager');
  });

  it('goes on without a controller manager when there is no Go, and says why', async () => {
    const { controllerManager, missing } = await obtain({ isOnline: true });
    expect(controllerManager).to.equal(undefined);
    expect(missing).to.equal('no Go compiler on the PATH');
  });

  it('builds all four when there is no connection', async () => {
    expect((await obtain({ hasGo: true })).done).to.deep.equal([
      'download',
      'build etcd kube-apiserver kubectl kube-controller-manager',
    ]);
  });

  it('builds only what is missing after an interrupted build', async () => {
    expect((await obtain({ cache: ['etcd', 'kubectl'], hasGo: true })).done[1]).to.equal(
      'build kube-apiserver kube-controller-manager',
    );
  });

  it('prints three ways out without Go and without a connection, with exit code 2', async () => {
    const err = await failure({});
    expect(err).to.be.instanceOf(NoControlPlaneError).and.to.have.property('exitCode', 2);
    expect(err.message)
      .to.match(/no connection/)
      .and.to.match(/no Go compiler on the PATH/)
      .and.to.match(/KUBEBUILDER_ASSETS/);
    expect(err.message.match(/^ {2}[123]\. /gm)).to.have.length(3);
  });

  it('prints these as well when there is Go without its modules', async () => {
    const err = await failure({ hasGo: true, buildFails: new BuildFailedError('build of etcd: dial tcp: no route') });
    expect(err).to.be.instanceOf(NoControlPlaneError);
    expect(err.message)
      .to.match(/no route/)
      .and.to.match(/Three ways out/);
  });
});
