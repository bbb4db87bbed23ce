// What happens to the volumes of nodes that have left: they are taken up again under the same id while they are young
// enough, kept and reported when they are too old, and deleted after the proof where that is the policy.
// Runs first: it takes a minute.

import { ANNOTATIONS, pvcName } from '@marekvs/api';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { clusterHandle } from '../../support/cluster-handle.ts';
import { expectDetached } from '../../support/removal-claims.ts';
import type { Seen } from '../../support/seen.ts';
import { withWorld } from '../../support/world.ts';
import { writesTo } from '../../support/written.ts';

const KEEPING = 'keeping';
const DELETING = 'deleting';
const RETENTION = { whenScaled: 'Delete', whenDeleted: 'Delete' } as const;

describe('volumes of nodes that have left', function () {
  this.timeout(120_000);
  const world = withWorld({ before, after });

  describe('of a cluster that keeps them', () => {
    const cluster = clusterHandle(world, KEEPING);

    before(async function () {
      this.timeout(120_000);
      await cluster.create(4);
    });

    it('are taken up again under the same id when the cluster grows, and its data with them', async () => {
      const ledger = await cluster.writtenLedger();
      const volume = await cluster.volumeUid(3);
      await cluster.scale(3);
      await cluster.healthy(3, 90_000);
      await expectDetached(world(), KEEPING, 'demo', [3]);
      await cluster.scale(4);
      await cluster.healthy(4);
      expect(await cluster.nodeNames()).to.deep.equal(['demo-0', 'demo-1', 'demo-2', 'demo-3']);
      expect(await cluster.volumeUid(3)).to.equal(volume);
      await expectDetached(world(), KEEPING, 'demo', []);
      const claim = await world().kube.core.readNamespacedPersistentVolumeClaim({
        namespace: KEEPING,
        name: 'data-demo-3',
      });
      expect(claim.metadata?.annotations ?? {}).to.not.have.any.keys([ANNOTATIONS.detachedAt]);
      await ledger.check([0, 1, 2, 3]);
    });

    it('are not taken up when they are older than gcGraceSeconds: a new id is used, and the status says why', async () => {
      const { patching } = world();
      await cluster.scale(3);
      await cluster.healthy(3, 90_000);
      const volume = await cluster.volumeUid(3);
      const long = new Date(Date.now() - 8 * 86_400_000).toISOString();
      await patching.claim(KEEPING, 'data-demo-3', {
        metadata: { annotations: { [ANNOTATIONS.detachedAt]: long, [ANNOTATIONS.lastActiveAt]: long } },
      });
      await expectDetached(world(), KEEPING, 'demo', [3], 'TooOld');
      await cluster.scale(4);
      await cluster.healthy(4);
      expect(await cluster.nodeNames()).to.deep.equal(['demo-0', 'demo-1', 'demo-2', 'demo-4']);
      expect(await cluster.volumeUid(3)).to.equal(volume);
      await expectDetached(world(), KEEPING, 'demo', [3], 'TooOld');
    });

    it('stay when the cluster is deleted', async () => {
      await world().kube.deleteCluster(KEEPING, 'demo');
      await cluster.untilGone();
      for (const id of [0, 1, 2, 3, 4]) expect(await cluster.volumeUid(id), pvcName('demo', id)).to.be.a('string');
    });
  });

  describe('of a cluster that deletes them', () => {
    const cluster = clusterHandle(world, DELETING);

    before(async function () {
      this.timeout(120_000);
      await cluster.create(4, { volumeRetention: RETENTION });
    });

    it('go after the proof among the survivors, not before, and their ids are not used again', async () => {
      const { testbed } = world();
      const ledger = await cluster.writtenLedger();
      const log = await cluster.log();
      const audit = await testbed.auditReader();
      await cluster.scale(3);
      const reclaiming = await log.until('it reclaims the volume', ({ phase }) => phase === 'Reclaiming', 90_000);
      expect(reclaiming.proof?.post).to.include({ stage: 'Post' });
      await cluster.healthy(3);
      log.stop();
      const writes = writesTo(await audit.read(), DELETING);
      const deleted = writes.filter((write) => write.startsWith('delete '));
      expect(deleted).to.deep.equal([
        // To close its door.
        'delete pods demo-3',
        'delete marekvsnodes demo-3',
        'delete pods demo-3',
        'delete persistentvolumeclaims data-demo-3',
      ]);
      await cluster.untilNoVolume(3);
      await ledger.check([0, 1, 2]);
      await cluster.scale(4);
      await cluster.healthy(4);
      expect(await cluster.nodeNames()).to.deep.equal(['demo-0', 'demo-1', 'demo-2', 'demo-4']);
    });

    it('go with the cluster when it is deleted', async () => {
      await world().kube.deleteCluster(DELETING, 'demo');
      await cluster.untilGone();
      await world().watching.claims(
        DELETING,
        'no volume is left',
        (claims: readonly Seen[]) => claims.length === 0,
        60_000,
      );
    });
  });
});
