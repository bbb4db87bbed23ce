// Installing with kubectl on a real API server: everything is admitted without a warning, Pods under the strictest Pod Security
// standard, and no installation takes a cluster with it when it goes. Then a team that has one namespace and no right elsewhere.
// Runs first: one installation after the other on one API server.

import { serviceAccountGroups, startTestbed, type Testbed } from '@marekvs/testbed';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import {
  addNamespaceAdmin,
  CRDS,
  createHands,
  createRestrictedNamespace,
  expectAdmittedPods,
  expectClustersToStay,
  type Hands,
  HOME,
  isAllowed,
  OPERATOR_LABEL,
  operatorDeployment,
  renderedFiles,
} from '../support/installing.ts';
import { createKube, type Kube } from '../support/kube.ts';
import { startLoneOperator } from '../support/lone-operator.ts';

const STRICT = '--validate=strict';
const UNINSTALL = ['delete', '-k', 'config/default', '-l', OPERATOR_LABEL] as const;

describe('installing with kubectl', function () {
  this.timeout(120_000);
  let testbed: Testbed;
  let kube: Kube;
  let admin: Hands;

  before(async () => {
    testbed = await startTestbed({ operator: false, rbac: false, crds: false, speed: 10 });
    kube = createKube(testbed.kubeconfigs.admin);
    admin = createHands(testbed, testbed.kubeconfigs.admin);
    // The testbed makes it for its operator; here it is the installation's.
    await admin.kubectl('delete', 'namespace', HOME);
  });
  after(async function () {
    this.timeout(60_000);
    await testbed?.stop();
  });

  describe('from rendered files, in order of name', () => {
    it('is taken by the API server, strictly and without a warning', async () => {
      const files = await renderedFiles(testbed, 'config/default');
      const said = await admin.kubectl('apply', '-f', files, STRICT);
      expect(
        said
          .trim()
          .split('\n')
          .filter((line) => !line.endsWith(' created')),
      ).to.deep.equal([]);
      await expectAdmittedPods(kube, 2);
    });

    it('gives the operator what it needs: a sample becomes Healthy in a restricted namespace', async () => {
      const operator = await testbed.startOperator();
      try {
        await createRestrictedNamespace(kube, admin, 'shop');
        await admin.kubectl('apply', '-n', 'shop', '-f', 'config/samples/small.yaml', STRICT);
        await kube.healthy('shop', 'small', 3);
      } finally {
        await operator.stop();
      }
    });

    it('takes every sample, strictly and without a warning', async () => {
      await admin.kubectl('apply', '-n', 'shop', '-k', 'config/samples', STRICT, '--dry-run=server');
    });

    it('goes by its label, and leaves the kinds, the cluster and its Pods', async () => {
      await expectClustersToStay(admin, 'shop', () => admin.kubectl(...UNINSTALL));
    });
  });

  describe('from config/default', () => {
    it('is taken by the API server, strictly and without a warning, and a second time changes nothing', async () => {
      await admin.kubectl('apply', '-k', 'config/default', STRICT);
      await expectAdmittedPods(kube, 2);
      await admin.kubectl('apply', '-k', 'config/default', STRICT);
      expect(await admin.kubectl('diff', '-k', 'config/default')).to.equal('');
    });

    it('becomes config/ha and gets a network policy by another apply', async () => {
      await admin.kubectl('apply', '-k', 'config/ha', STRICT);
      await admin.kubectl('apply', '-k', 'config/network-policy', STRICT);
      expect((await operatorDeployment(kube)).spec).to.include({ replicas: 3 });
    });

    it('leaves the kinds, the cluster and its Pods also when its label was forgotten, and says why', async () => {
      await admin.kubectl('delete', '-k', 'config/network-policy');
      await expectClustersToStay(admin, 'shop', async () => {
        const said = await admin.kubectl('delete', '-k', 'config/default').catch((error: unknown) => String(error));
        for (const kind of CRDS) expect(said).to.match(new RegExp(`"${kind}" is forbidden.*protected or not`));
      });
      // What that command has taken along; the next part makes it again.
      await admin.kubectl('wait', '--for=delete', `namespace/${HOME}`, '--timeout=30s');
    });
  });

  describe('by somebody who is admin in one namespace and nothing elsewhere', () => {
    let team: Hands;
    before(async () => {
      await admin.kubectl('apply', '-k', 'config/namespaced/by-admin', STRICT);
      await createRestrictedNamespace(kube, admin, 'team-a');
      team = await addNamespaceAdmin(testbed, admin, 'ann', ['team-a']);
    });

    it('is done by somebody who cannot do anything outside of the namespace, not even read the kinds', async () => {
      for (const what of ['create clusterroles', 'create namespaces', 'get customresourcedefinitions', 'get nodes']) {
        expect(await isAllowed(team, ...what.split(' '), '--all-namespaces'), what).to.equal(false);
      }
      expect(await isAllowed(team, 'create', 'pods', '-n', HOME)).to.equal(false);
      expect(await isAllowed(team, 'get', 'marekvsclusters', '-n', 'shop')).to.equal(false);
    });

    it('gives a team its operator and its cluster, which becomes Healthy', async () => {
      await team.kubectl('apply', '-k', 'config/samples/team', STRICT);
      await expectAdmittedPods(kube, 2, 'team-a');
      const account = 'system:serviceaccount:team-a:marekvs-operator';
      const kubeconfig = await testbed.controlPlane.addUser(account, serviceAccountGroups('team-a'));
      const flags = ['--namespace=team-a', '--watch-namespaces=team-a', '--metrics-bind-address=0'];
      const operator = startLoneOperator([`--kubeconfig=${kubeconfig}`, ...flags, '--health-probe-bind-address=0'], {
        HOME: testbed.dir,
      });
      try {
        await kube.healthy('team-a', 'cache', 3);
      } finally {
        await operator.stop();
      }
    });

    it('lets the team use its cluster as any other, without the right to skip a proof', async () => {
      await team.kubectl('scale', '-n', 'team-a', 'mkv/cache', '--replicas=4');
      await team.kubectl('annotate', '-n', 'team-a', 'mkvnode/cache-0', 'marekvs.io/remove-first=true');
      expect(await isAllowed(team, 'force-remove', 'marekvsnodes.marekvs.io', '-n', 'team-a')).to.equal(false);
    });
  });
});
