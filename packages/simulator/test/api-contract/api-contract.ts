// Runs the contract against one API server. Both servers have to give the answer that the table expects.

import { createClient, nodes } from '@marekvs/runtime';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { type Driver, runCase } from './bench.ts';
import { API_CASES } from './cases.ts';
import { DELIBERATE } from './deliberate.ts';
import { HOST, namespaceObject } from './objects.ts';

export interface ContractSubject {
  start(): Driver;
  /** Which answers are expected in the cases in which the API server in memory deliberately does less. */
  readonly deliberate: 'expected' | 'inMemory';
}

/** To be called inside a `describe`, whose own hooks run before `start` is called. */
export function apiContract(server: string, { start, deliberate }: ContractSubject): void {
  describe(`the API ${server}`, () => {
    let driver: Driver;

    before(async () => {
      driver = start();
      const client = createClient(driver.transport);
      await driver.pass(async () => {
        const host = await client.create(nodes, { metadata: { name: HOST } });
        const capacity = { cpu: '4', memory: '8Gi', pods: '100' };
        await client.patchStatus(nodes, host.metadata, { status: { capacity, allocatable: capacity } }, host.metadata);
        await client.create(...namespaceObject('beside'));
      });
    });
    after(() => driver.stop());

    for (const [index, row] of API_CASES.entries()) {
      it(row.title, async () => {
        expect(await runCase(driver, row, `case-${index}`)).to.deep.equal(row.expected);
      });
    }

    for (const [index, row] of DELIBERATE.entries()) {
      it(deliberate === 'expected' ? row.title : `does not know that ${row.title}`, async () => {
        expect(await runCase(driver, row, `deliberate-${index}`)).to.deep.equal(row[deliberate]);
      });
    }
  });
}
