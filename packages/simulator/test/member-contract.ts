// What any three settled members answer, with every driver. `pass` lets time go by until a promise settles.

import { digestOfNodes, parseInfo } from '@marekvs/store-client';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { contentsContract } from './member-contract-contents.ts';
import type { Subject } from './member-contract-subject.ts';

export function memberContract(driver: string, start: () => Promise<Subject>): void {
  describe(`three members on the ${driver} driver`, function () {
    this.timeout(30_000);
    let subject: Subject;
    const until = async <T>(ask: () => Promise<T>, suits: (answer: T) => boolean): Promise<T> => {
      for (;;) {
        const answer = await subject.pass(ask);
        if (suits(answer)) return answer;
      }
    };

    before(async () => {
      subject = await start();
      for (const id of [1, 2, 3] as const) {
        await until(
          () => subject.client.clusterInfo(subject.address(id)),
          (info) => info.size === 3,
        );
        await until(
          () => subject.client.metrics(subject.address(id)),
          (metrics) => metrics.clusterMembers === 3 && metrics.isFresh,
        );
      }
    });
    after(() => subject.stop());

    it('are ready, alive and agree on members and slots', async () => {
      const { client, address, pass, get } = subject;
      for (const id of [1, 2, 3] as const) {
        await until(
          () => get(id, '/ready'),
          ([status]) => status === 200,
        );
        expect(await pass(() => get(id, '/ready'))).to.deep.equal([200, 'ready\n']);
        expect(await pass(() => get(id, '/alive'))).to.deep.equal([200, 'alive\n']);
      }
      const views = await Promise.all(([1, 2, 3] as const).map((id) => pass(() => client.nodes(address(id)))));
      expect(new Set(views.map(digestOfNodes)).size).to.equal(1);
      expect(views[1]?.map((line) => line.myself)).to.deep.equal([false, true, false]);
    });

    it('print the same placement of all slots', async () => {
      const { client, address, pass } = subject;
      const table = async (id: 1 | 2 | 3) => {
        const session = await pass(() => client.session(address(id)));
        const [ranges] = await pass(() => session.commands([['CLUSTER', 'SLOTS']]));
        session.close();
        return ranges;
      };
      // A member that was not scheduled for a while counts as gone until it answers again.
      const whole = (ranges: unknown) => Array.isArray(ranges) && ranges.length === 3_383;
      const tables = [await until(() => table(1), whole), await until(() => table(2), whole)];
      expect(tables[1]).to.deep.equal(tables[0]);
      expect(await until(() => table(3), whole)).to.deep.equal(tables[0]);
    });

    it('answer INFO section by section', async () => {
      const { client, address, pass } = subject;
      const info = async (id: 1 | 2 | 3, section: 'server' | 'cluster' | 'replication') => {
        const session = await pass(() => client.session(address(id)));
        const [text] = await pass(() => session.commands([['INFO', section]]));
        session.close();
        return parseInfo(text as Uint8Array);
      };
      expect((await info(1, 'replication')).get('role')).to.equal('master');
      expect((await info(2, 'server')).get('node_id')).to.equal('2');
      expect((await info(3, 'cluster')).get('effective_rf_min')).to.equal('2');
    });

    it('tell in one request who they are, and count nothing while nothing changes', async () => {
      const { client, address, pass } = subject;
      const before = await Promise.all(([1, 2, 3] as const).map((id) => pass(() => client.glance(address(id)))));
      expect(before.map(({ nodeId }) => nodeId)).to.deep.equal([1, 2, 3]);
      const own = (await pass(() => client.nodes(address(2)))).find(({ myself }) => myself);
      expect(before[1]?.info).to.include({ knownNodes: 3, size: 3, myEpoch: own?.generation });
      expect(before[1]?.clients).to.be.at.least(1);
      const after = await Promise.all(([1, 2, 3] as const).map((id) => pass(() => client.glance(address(id)))));
      expect(after.map(({ info }) => info)).to.deep.equal(before.map(({ info }) => info));
    });

    it('all answer with the value that one of them took', async () => {
      const { client, address, pass } = subject;
      const writer = await pass(() => client.session(address(1)));
      expect(await pass(() => writer.commands([['SET', 'contract', 'value']]))).to.deep.equal(['OK']);
      writer.close();
      for (const id of [1, 2, 3] as const) {
        const reader = await pass(() => client.session(address(id)));
        const [value] = await until(
          () => reader.commands([['GET', 'contract']]),
          ([answer]) => answer !== null,
        );
        reader.close();
        expect(Buffer.from(value instanceof Uint8Array ? value : []).toString()).to.equal('value');
      }
    });

    contentsContract(() => subject);

    it('keep a drained member ready and take its slots away', async () => {
      const { client, address, pass } = subject;
      const { info } = await pass(() => client.glance(address(1)));
      await pass(() => client.drain(address(3)));
      const lines = await until(
        () => client.nodes(address(1)),
        (nodes) => nodes[2]?.primarySlots === 0,
      );
      expect(lines.map((line) => line.id)).to.deep.equal([1, 2, 3]);
      expect(await pass(() => subject.get(3, '/ready'))).to.deep.equal([200, 'ready\n']);
      const now = await pass(() => client.glance(address(1)));
      expect(now.info).to.include({ knownNodes: 3, size: 2 });
      expect(now.info.currentEpoch, 'it has counted the change').to.be.greaterThan(info.currentEpoch);
    });
  });
}
