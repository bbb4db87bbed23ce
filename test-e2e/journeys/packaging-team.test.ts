// A team that has one namespace and no right elsewhere installs an operator for itself and runs a cluster, under
// restricted Pod Security. An administrator of the Kubernetes cluster has applied only
// config/overlays/namespaced/by-admin.
// Own API server: it installs what a testbed has.

import { serviceAccountGroups, startTestbed, type Testbed } from '@marekvs/testbed';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import {
  addNamespaceAdmin,
  createHands,
  createRestrictedNamespace,
  expectAdmittedPods,
  type Hands,
  HOME,
  isAllowed,
} from '../support/installing.ts';
import { createKube, type Kube } from '../support/kube.ts';
import { startLoneOperator } from '../support/lone-operator.ts';

const STRICT = '--validate=strict';

describe('an installation by a user who is admin in one namespace and nothing elsewhere', function () {
  this.timeout(120_000);
  let testbed: Testbed;
  let kube: Kube;
  let team: Hands;

  before(async () => {
    testbed = await startTestbed({ operator: false, rbac: false, crds: false, runner: 'hosted', speed: 10 });
    kube = createKube(testbed.kubeconfigs.admin);
    const admin = createHands(testbed, testbed.kubeconfigs.admin);
    await admin.kubectl('apply', '--server-side', '-k', 'config/overlays/namespaced/by-admin', STRICT);
    await createRestrictedNamespace(kube, admin, 'team-a');
    await createRestrictedNamespace(kube, admin, 'shop');
    team = await addNamespaceAdmin(testbed, admin, 'ann', ['team-a']);
  });
  after(async function () {
    this.timeout(60_000);
    await testbed?.stop();
  });

  it('needs no right outside of the namespace, not even to read the kinds', async () => {
    for (const what of ['create clusterroles', 'create namespaces', 'get customresourcedefinitions', 'get nodes']) {
      expect(await isAllowed(team, ...what.split(' '), '--all-namespaces'), what).to.equal(false);
    }
    expect(await isAllowed(team, 'create', 'pods', '-n', HOME)).to.equal(false);
    expect(await isAllowed(team, 'get', 'marekvsclusters', '-n', 'shop')).to.equal(false);
  });

  it('gives the team its operator and its cluster, which becomes Healthy', async () => {
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

  it('lets the team use its cluster like any other, without the right to skip a proof', async () => {
    await team.kubectl('scale', '-n', 'team-a', 'mkv/cache', '--replicas=4');
    await team.kubectl('annotate', '-n', 'team-a', 'mkvnode/cache-0', 'marekvs.io/remove-first=true');
    expect(await isAllowed(team, 'force-remove', 'marekvsnodes.marekvs.io', '-n', 'team-a')).to.equal(false);
  });
});
