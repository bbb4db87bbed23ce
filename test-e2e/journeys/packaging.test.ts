// Installing with kubectl on a real API server: everything is admitted without a warning, Pods under the strictest Pod
// Security standard, and no installation takes a cluster with it when it goes.
// Runs first: one installation after the other on one API server.
// Own API server: it installs what a testbed has.

import { startTestbed, type Testbed } from '@marekvs/testbed';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { eventually } from '../support/eventually.ts';
import {
  CRDS,
  createHands,
  createRestrictedNamespace,
  expectAdmittedPods,
  expectClustersToStay,
  type Hands,
  HOME,
  OPERATOR_LABEL,
  operatorDeployment,
  renderedFiles,
} from '../support/installing.ts';
import { createKube, type Kube } from '../support/kube.ts';

const STRICT = '--validate=strict';
const UNINSTALL = ['delete', '-k', 'config/overlays/default', '-l', OPERATOR_LABEL] as const;

describe('installing with kubectl', function () {
  this.timeout(120_000);
  let testbed: Testbed;
  let kube: Kube;
  let admin: Hands;

  before(async () => {
    testbed = await startTestbed({ operator: false, rbac: false, crds: false, runner: 'hosted', speed: 10 });
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
      const files = await renderedFiles(testbed, 'config/overlays/default');
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

  describe('from config/overlays/default', () => {
    it('is taken by the API server, strictly and without a warning, and a second time changes nothing', async () => {
      await admin.kubectl('apply', '-k', 'config/overlays/default', STRICT);
      await expectAdmittedPods(kube, 2);
      await admin.kubectl('apply', '-k', 'config/overlays/default', STRICT);
      // It reads and tries one after the other: a status that a controller writes in between is a difference, too.
      await eventually(
        'nothing differs',
        async () => (await admin.kubectl('diff', '-k', 'config/overlays/default')) === '',
      );
    });

    it('becomes config/overlays/ha and gets a network policy by another apply', async () => {
      await admin.kubectl('apply', '-k', 'config/overlays/ha', STRICT);
      await admin.kubectl('apply', '-k', 'config/components/network-policy', STRICT);
      expect((await operatorDeployment(kube)).spec).to.include({ replicas: 3 });
    });

    it('leaves the kinds, the cluster and its Pods also when its label was forgotten, and says why', async () => {
      await admin.kubectl('delete', '-k', 'config/components/network-policy');
      await expectClustersToStay(admin, 'shop', async () => {
        const said = await admin
          .kubectl('delete', '-k', 'config/overlays/default')
          .catch((error: unknown) => String(error));
        for (const kind of CRDS) expect(said).to.match(new RegExp(`"${kind}" is forbidden.*protected or not`));
      });
    });
  });
});
