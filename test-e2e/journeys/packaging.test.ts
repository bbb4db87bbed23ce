// Installing with kubectl on a real API server: everything is admitted without a warning, Pods under the strictest Pod
// Security standard, and no cluster goes with its installation.
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
    it('makes the API server, which validates strictly, print no warning', async () => {
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

    it('gives the operator all it needs to make a sample Healthy in a restricted namespace', async () => {
      const operator = await testbed.startOperator();
      try {
        await createRestrictedNamespace(kube, admin, 'shop');
        await admin.kubectl('apply', '-n', 'shop', '-f', 'config/samples/small.yaml', STRICT);
        await kube.healthy('shop', 'small', 3);
      } finally {
        await operator.stop();
      }
    });

    it('makes every sample acceptable, strictly and without a warning', async () => {
      await admin.kubectl('apply', '-n', 'shop', '-k', 'config/samples', STRICT, '--dry-run=server');
    });

    it('can be undone by its label, which leaves the kinds, the cluster and its Pods', async () => {
      await expectClustersToStay(admin, 'shop', () => admin.kubectl(...UNINSTALL));
    });
  });

  describe('from config/overlays/default', () => {
    it('makes the API server, which validates strictly, print no warning, and a second time changes nothing', async () => {
      await admin.kubectl('apply', '-k', 'config/overlays/default', STRICT);
      await expectAdmittedPods(kube, 2);
      await admin.kubectl('apply', '-k', 'config/overlays/default', STRICT);
      // `kubectl diff` reads, then tries: a status that a controller writes in between is a difference, too.
      await eventually(
        'nothing differs',
        async () => (await admin.kubectl('diff', '-k', 'config/overlays/default')) === '',
      );
    });

    it('can be turned into config/overlays/ha with a network policy by another apply', async () => {
      await admin.kubectl('apply', '-k', 'config/overlays/ha', STRICT);
      await admin.kubectl('apply', '-k', 'config/components/network-policy', STRICT);
      expect((await operatorDeployment(kube)).spec).to.include({ replicas: 3 });
    });

    it('can be undone without its label, too, which leaves the kinds, the cluster and its Pods and says why', async () => {
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
