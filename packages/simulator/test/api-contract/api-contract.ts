// Runs the contract against one API server. Both servers have to give the one answer that the table expects.

import { createClient, nodes } from '@marekvs/runtime';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { type Driver, runCase } from './bench.ts';
import { API_CASES } from './cases.ts';
import { HOST, namespaceObject } from './objects.ts';

export function apiContract(server: string, start: () => Driver): void {
  describe(`the API server ${server}`, () => {
    let driver: Driver;

    before(async () => {
      driver = start();
      const client = createClient(driver.transport);
      await driver.pass(async () => {
        await client.create(nodes, { metadata: { name: HOST } });
        await client.create(...namespaceObject('beside'));
      });
    });
    after(() => driver.stop());

    for (const [index, row] of API_CASES.entries()) {
      it(row.title, async () => {
        expect(await runCase(driver, row, `case-${index}`)).to.deep.equal(row.expected);
      });
    }
  });
}
