// Members keep the password they were started with until something restarts them: the operator has to know them all meanwhile.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { MemberWorld } from '../src/index.ts';

const ref = (name: string) => ({ secretRef: { name, key: 'password' } });

function withSecrets(): MemberWorld {
  const world = new MemberWorld({ seed: 1 });
  for (const name of ['one', 'two'])
    world.kube.server.create('secrets', {
      metadata: { name, namespace: 'default' },
      data: { password: Buffer.from(name).toString('base64') },
    } as Parameters<typeof world.kube.server.create>[1]);
  return world;
}

describe('the operator is not locked out of running members', function () {
  this.timeout(60_000);
  const changes = {
    'by a password that is set': [undefined, ref('one')],
    'by another Secret': [ref('one'), ref('two')],
    'by a password that is taken out': [ref('one'), null],
    'by a Secret that is missing': [undefined, ref('none')],
  } as const;
  for (const [how, [before, after]] of Object.entries(changes)) {
    it(how, async () => {
      const world = withSecrets();
      await world.formed(3, before === undefined ? {} : { auth: before });
      world.edit({ auth: after });
      await world.advance(60_000);
      expect([world.condition('Ready'), world.condition('UnsupportedFields')]).to.deep.equal(['True', 'True']);
    });
  }
});
