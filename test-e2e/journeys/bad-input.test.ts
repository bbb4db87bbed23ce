// How the operator meets surroundings and members that are not as they should be: it says what is wrong, in one line or
// in the status of the cluster concerned, goes on by itself when that is over, and never calls such a cluster Healthy.
// Own API server: it begins without the kinds.
// Runs first: it takes two minutes.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { V1Pod } from '@kubernetes/client-node';
import type { MarekvsCluster, MarekvsNode } from '@marekvs/api';
import { findFreePort, projectRoot, startTestbed, stretched, type Testbed } from '@marekvs/testbed';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { eventually } from '../support/eventually.ts';
import { createKube, type Kube, ownPath, type Seen } from '../support/kube.ts';
import { type LogLine, startLoneOperator } from '../support/lone-operator.ts';
import { oddMembers } from '../support/member-program.ts';
import { installRbac } from '../support/permissions.ts';
import { plainSpec } from '../support/specs.ts';

const NO_SERVERS = ['--metrics-bind-address=0', '--health-probe-bind-address=0'];

/** Moments of forming at which the operator dies, each seen by a watch. */
const MOMENTS: readonly (readonly [string, (kube: Kube, namespace: string) => Promise<unknown>])[] = [
  ['after the first MarekvsNode', (kube, namespace) => seen(kube, ownPath('marekvsnodes', namespace), () => true)],
  ['after the first Pod', (kube, namespace) => seen<V1Pod>(kube, podPath(namespace), () => true)],
  [
    'when the first member is let in',
    (kube, namespace) =>
      seen<MarekvsNode>(kube, ownPath('marekvsnodes', namespace), ({ spec }) => spec.serving === true),
  ],
];

describe('bad input', () => {
  let folder: string;
  let testbed: Testbed;
  let kube: Kube;

  // One testbed, from an empty API server to a running operator: the parts below build on each other.
  before(async function () {
    this.timeout(120_000);
    folder = await mkdtemp(join(tmpdir(), 'marekvs-journey-'));
    testbed = await startTestbed({ ...(await oddMembers(folder, 10)), crds: false, rbac: false });
    kube = createKube(testbed.kubeconfigs.admin);
  });
  after(async function () {
    this.timeout(60_000);
    await testbed?.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  describe('at the start of the operator', () => {
    it('an unknown flag ends it with 2 and one line that names the flag', async () => {
      const operator = startLoneOperator(['--threads=3'], { HOME: folder });
      expect(await operator.exited).to.equal(2);
      expect(operator.lines).to.have.length(1);
      expect(operator.lines[0]).to.include("unknown option '--threads=3'");
    });

    it('a value that is not a time ends it with 2 and says what a time looks like', async () => {
      const operator = startLoneOperator(['--lease-duration=soon'], { HOME: folder });
      expect(await operator.exited).to.equal(2);
      expect(operator.lines.join('\n')).to.match(/--lease-duration.*soon.*15s/);
    });

    it('without any kubeconfig it ends with 2 and names the four places for one', async () => {
      const operator = startLoneOperator(NO_SERVERS, { HOME: folder });
      expect(await operator.exited).to.equal(2);
      expect(operator.lines).to.have.length(1);
      expect(textOf(operator.logged()[0])).to.match(/no kubeconfig.*--kubeconfig.*KUBECONFIG.*Pod.*~\/\.kube\/config/);
    });

    it('a kubeconfig that is not there ends it with 2 and names the file', async () => {
      const file = join(folder, 'nowhere.yaml');
      const operator = startLoneOperator([...NO_SERVERS, `--kubeconfig=${file}`], { HOME: folder });
      expect(await operator.exited).to.equal(2);
      expect(operator.lines).to.have.length(1);
      expect(textOf(operator.logged()[0])).to.include(`kubeconfig ${file} does not exist`);
    });

    it('an API server that is down keeps it waiting and not ready, with one line that says so', async () => {
      const kubeconfig = await kubeconfigOfDeadServer(testbed, folder);
      const health = `127.0.0.1:${await findFreePort()}`;
      const args = [`--kubeconfig=${kubeconfig}`, '--metrics-bind-address=0', `--health-probe-bind-address=${health}`];
      const operator = startLoneOperator(args, { HOME: folder });
      try {
        const line = await operator.line(({ msg }) => /API server does not answer/.test(msg ?? ''));
        expect(line.level).to.equal('warn');
        const ready = await fetch(`http://${health}/readyz`, { signal: AbortSignal.timeout(stretched(5_000)) });
        expect(ready.status).to.equal(503);
        expect(await ready.text()).to.match(/unreachable|not complete|not started/);
        expect(
          (await fetch(`http://${health}/healthz`, { signal: AbortSignal.timeout(stretched(5_000)) })).status,
        ).to.equal(200);
        expect(operator.isRunning()).to.equal(true);
      } finally {
        await operator.stop();
      }
      expect(await operator.exited).to.equal(0);
    });

    it('a metrics port that is taken ends it with 2 and names the address', async () => {
      const taken = createServer();
      const port = await findFreePort();
      await new Promise<void>((resolve) => taken.listen(port, '127.0.0.1', resolve));
      const address = `127.0.0.1:${port}`;
      const operator = startLoneOperator(
        [
          `--kubeconfig=${testbed.kubeconfigs.operator}`,
          `--metrics-bind-address=${address}`,
          '--health-probe-bind-address=0',
        ],
        { HOME: folder },
      );
      expect(await operator.exited).to.equal(2);
      taken.close();
      expect(operator.logged().map(textOf).join('\n')).to.include(`listen on ${address}`);
    });

    it('missing permissions end it with 77 and are named by verb and resource', async () => {
      const operator = startLoneOperator([...NO_SERVERS, `--kubeconfig=${testbed.kubeconfigs.operator}`], {
        HOME: folder,
      });
      expect(await operator.exited).to.equal(77);
      const said = operator.logged().map(textOf).join('\n');
      expect(said).to.match(/missing permissions.*get, list, watch marekvsclusters\.marekvs\.io/);
      expect(said).to.match(/get, list, watch, create, patch, delete pods/);
      expect(said).to.include('kubectl apply -k config/overlays/default');
    });

    it('missing CRDs are reported once per kind, waited for, and found when they are installed', async () => {
      await installRbac(testbed);
      const audit = await testbed.auditReader();
      const operator = startLoneOperator([...NO_SERVERS, `--kubeconfig=${testbed.kubeconfigs.operator}`], {
        HOME: folder,
      });
      try {
        const isAboutCrds = ({ msg }: LogLine) =>
          /waiting until its CustomResourceDefinition is installed/.test(msg ?? '');
        await operator.line(isAboutCrds);
        let refused = 0;
        await eventually(
          'each kind was asked for three times',
          async () => {
            refused += (await audit.read()).requests.filter(({ code }) => code === 404).length;
            return refused >= 6;
          },
          30_000,
        );
        expect(
          operator
            .logged()
            .filter(isAboutCrds)
            .map((line) => line.resource)
            .sort(),
        ).to.deep.equal(['marekvsclusters.marekvs.io', 'marekvsnodes.marekvs.io']);
        await testbed.apply([join(projectRoot, 'crds')]);
        await operator.line(({ msg }) => msg === 'Started all parts', 45_000);
      } finally {
        await operator.stop();
      }
      expect(await operator.exited).to.equal(0);
    });
  });

  describe('of members', () => {
    const ODD = {
      garbage: '1=garbage',
      failing: '0=error-500',
      silent: '1=hang',
      down: '0=dead-web',
      noise: '1=noise',
    };
    const isHeld = (pod: { readonly namespace: string; readonly name: string }) =>
      pod.namespace === 'pending' && pod.name === 'demo-1';

    // All at once, since no cluster may depend on what the members of another one do.
    before(async function () {
      this.timeout(60_000);
      await testbed.startOperator({ extraEnv: { POD_UID: 'journey' } });
      testbed.kubelet.holdScheduling(isHeld);
      for (const namespace of [...Object.keys(ODD), 'pending', 'well']) await kube.createNamespace(namespace);
      const odd = Object.entries(ODD).map(([namespace, natures]) =>
        kube.createCluster(namespace, 'demo', oddSpec(natures)),
      );
      await Promise.all([...odd, kube.createCluster('pending', 'demo', plainSpec(2, { replicationFactor: 1 }))]);
    });
    after(async () => {
      for (const namespace of [...Object.keys(ODD), 'pending']) await kube.deleteCluster(namespace, 'demo');
      const isLeft = ({ metadata }: MarekvsNode) => metadata.namespace === 'well';
      const path = ownPath('marekvsnodes');
      await kube.until<MarekvsNode>('only the well', path, (nodes) => nodes.length === 3 && nodes.every(isLeft));
    });

    it('none keeps other clusters from becoming Healthy', async () => {
      await kube.createCluster('well', 'demo', plainSpec(3));
      await kube.healthy('well', 'demo', 3);
    });

    it('one that answers like any web server is named with MemberAnswerInvalid', async () => {
      const cluster = await says('garbage', 'MemberAnswerInvalid', /demo-1.*<html>/);
      expect(cluster.status?.phase).to.equal('Blocked');
      await nodeSays('garbage', 'demo-1', 'MemberAnswerInvalid');
    });

    it('one whose metrics answer 500 is named with MemberAnswerInvalid', async () => {
      await says('failing', 'MemberAnswerInvalid', /demo-0.*500/);
      await nodeSays('failing', 'demo-0', 'MemberAnswerInvalid');
    });

    it('one that accepts requests and never answers is named with MemberSilent', async () => {
      await says('silent', 'MemberSilent', /demo-1/);
      await nodeSays('silent', 'demo-1', 'MemberSilent');
    });

    it('one that answers even its probes with 500 is named although its Pod never gets ready', async () => {
      await says('down', 'MemberAnswerInvalid', /demo-0/);
      await nodeSays('down', 'demo-0', 'MemberAnswerInvalid');
    });

    it('one that does not speak HTTP is named with MemberAnswerInvalid', async () => {
      await says('noise', 'MemberAnswerInvalid', /demo-1/);
    });

    it('none has a cluster that was formed, called Healthy or opened to clients', async () => {
      for (const namespace of Object.keys(ODD)) {
        const { status } = await kube.cluster(namespace, 'demo');
        expect(status?.phase, namespace).not.to.equal('Healthy');
        expect(status?.formed, namespace).to.equal(undefined);
        expect(
          (await kube.nodes(namespace)).map(({ spec }) => spec.serving === true),
          namespace,
        ).to.deep.equal([false, false]);
      }
    });

    it('a Pod without a host is named with PodUnschedulable, and forming goes on when a host takes it', async () => {
      await says('pending', 'PodUnschedulable', /demo-1.*held by the test/);
      await nodeSays('pending', 'demo-1', 'PodUnschedulable');
      testbed.kubelet.holdScheduling(undefined);
      const { status } = await kube.healthy('pending', 'demo', 2);
      expect(status?.conditions?.find(({ type }) => type === 'Stalled')?.status).to.equal('False');
    });
  });

  describe('in the middle of work', () => {
    for (const [moment, isReached] of MOMENTS) {
      it(`an operator that is killed ${moment} leaves work that its successor finishes once (F38)`, async () => {
        const namespace = `killed-${MOMENTS.findIndex(([name]) => name === moment)}`;
        await kube.createNamespace(namespace);
        const audit = await testbed.auditReader();
        await kube.createCluster(namespace, 'demo', plainSpec(3));
        await isReached(kube, namespace);
        await testbed.operator.kill();
        await testbed.operator.restart();
        await kube.healthy(namespace, 'demo', 3);
        expect(await countObjects(kube, namespace)).to.deep.equal({ nodes: 3, pods: 3, claims: 3, services: 2 });
        const created = (await audit.read()).requests.filter(
          (one) => one.namespace === namespace && one.verb === 'create' && one.resource !== 'events',
        );
        const made = created.filter(({ code }) => code === 201).map(({ resource, name }) => `${resource}/${name}`);
        expect(made.length).to.be.at.least(3 * 3);
        expect(made).to.have.length(new Set(made).size);
      });
    }
  });

  async function says(namespace: string, reason: string, message: RegExp): Promise<MarekvsCluster> {
    return kube.clusterUntil(
      namespace,
      'demo',
      `${namespace}/demo says ${reason} ${message}`,
      ({ status }) => {
        const ready = status?.conditions?.find(({ type }) => type === 'Ready');
        return ready?.status === 'False' && ready.reason === reason && message.test(ready.message);
      },
      30_000,
    );
  }

  async function nodeSays(namespace: string, name: string, reason: string): Promise<void> {
    await kube.until<MarekvsNode>(
      `${namespace}/${name} says ${reason}`,
      ownPath('marekvsnodes', namespace),
      (nodes) =>
        nodes.some(
          ({ metadata, status }) =>
            metadata.name === name && status?.conditions?.find(({ type }) => type === 'Ready')?.reason === reason,
        ),
      30_000,
    );
  }
});

function oddSpec(natures: string) {
  return plainSpec(2, { replicationFactor: 1, extraEnv: { ODD_MEMBERS: natures } });
}

/** A log line with all its fields, as a person reads it. */
function textOf(line: LogLine | undefined): string {
  return JSON.stringify(line ?? {});
}

async function kubeconfigOfDeadServer(testbed: Testbed, folder: string): Promise<string> {
  const text = await readFile(testbed.kubeconfigs.operator, 'utf8');
  const file = join(folder, 'dead.kubeconfig');
  const dead = text.replaceAll(testbed.controlPlane.server, `https://127.0.0.1:${await findFreePort()}`);
  expect(dead).not.to.equal(text);
  await writeFile(file, dead, { mode: 0o600 });
  return file;
}

async function seen<T extends Seen>(kube: Kube, path: string, fits: (object: T) => boolean): Promise<void> {
  await kube.until<T>(`something in ${path}`, path, (objects) => objects.some(fits), 30_000);
}

function podPath(namespace: string): string {
  return `/api/v1/namespaces/${namespace}/pods`;
}

async function countObjects(kube: Kube, namespace: string) {
  const [nodes, pods, claims, services] = await Promise.all([
    kube.nodes(namespace),
    kube.core.listNamespacedPod({ namespace }),
    kube.core.listNamespacedPersistentVolumeClaim({ namespace }),
    kube.core.listNamespacedService({ namespace }),
  ]);
  return {
    nodes: nodes.length,
    pods: pods.items.length,
    claims: claims.items.length,
    services: services.items.length,
  };
}
