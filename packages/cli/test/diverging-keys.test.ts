// kubectl mkv verify --show-keys, over an API server in memory and members on real sockets.

import { ANNOTATIONS, homesAt, placementOf } from '@marekvs/api';
import { expect } from 'chai';
import { load } from 'js-yaml';
import { describe, it } from 'mocha';
import { honest, type MeshMember, meshMember } from '../../store-client/test/support/mesh-member.ts';
import { storedValue } from '../../store-client/test/support/mesh-wire.ts';
import { EXIT } from '../src/index.ts';
import { type FakeOptions, runFake } from './support/fake-cli.ts';
import { CLUSTERS, REF, serverWith } from './support/fake-server.ts';
import { NOW_MS, SINCE } from './support/objects.ts';

const P = 77;
const HASH = 9n;
const RANK = 7 << 2;

/** The homes of one partition hold one register of the key `a\nb` in different versions and ranks. */
async function members(ranks: readonly [number, number]): Promise<readonly MeshMember[]> {
  const homes = homesAt(placementOf([0, 1, 2], 2), P);
  const key = Uint8Array.from([0, P, 72, 3, ...Buffer.from('a\nb'), 0, 1]);
  return Promise.all(
    [0, 1, 2].map((id) => {
      const at = homes.indexOf(id);
      if (at < 0) return meshMember(honest());
      const version = BigInt(at + 1);
      const digests = Array<bigint>(256).fill(0n).with(5, version);
      return meshMember(
        honest({
          digests: new Map([[P, digests]]),
          entries: new Map([[`${P}/5`, [[HASH, version, version]]]]),
          values: new Map([[HASH, storedValue(RANK, version, Uint8Array.of(ranks[at] ?? 0))]]),
          keyOf: () => key,
        }),
      );
    }),
  );
}

async function verify(line: string, all: readonly MeshMember[], forward?: FakeOptions['forward']) {
  const server = serverWith();
  const forwarded: string[] = [];
  let looks = 0;
  const result = await runFake(line.split(' '), {
    server,
    nowMs: NOW_MS,
    forward:
      forward ??
      ((to) => {
        forwarded.push(to);
        const { host, meshPort = 0 } = all[Number(/demo-(\d):7373$/.exec(to)?.[1])]?.address ?? { host: '' };
        return { host, port: meshPort, ended: new Promise(() => undefined), close: () => forwarded.push('closed') };
      }),
    refusal: (request) => {
      if (request.verb !== 'get' || !request.path.endsWith('/marekvsclusters/demo')) return undefined;
      looks += 1;
      const requested = server.get(CLUSTERS, REF).metadata.annotations?.[ANNOTATIONS.verify];
      const verification = { state: 'Covered', at: SINCE, message: 'no record is missing', requested };
      if (looks > 1) server.patch(CLUSTERS, REF, { status: { verification } }, 'status');
      return undefined;
    },
  });
  return { ...result, forwarded };
}

describe('kubectl mkv verify --show-keys', () => {
  it('shows the keys, read through port forwards that are closed afterwards', async () => {
    const all = await members([9, 3]);
    const { code, out, forwarded } = await verify('verify demo --show-keys', all);
    expect(out).to.match(/^keys with HyperLogLog registers that diverge:\n {2}a b$/m);
    expect(code).to.equal(EXIT.fine);
    expect(forwarded).to.deep.equal([
      ...[0, 1, 2].map((id) => `default/demo-${id}:7373`),
      ...Array<string>(3).fill('closed'),
    ]);
    for (const member of all) await member[Symbol.asyncDispose]();
  });

  it('shows none where each home has the rank of the other', async () => {
    const all = await members([3, 3]);
    const { out } = await verify('verify demo --show-keys -o yaml', all);
    expect(load(out)).to.deep.include({ divergingKeys: [] });
    for (const member of all) await member[Symbol.asyncDispose]();
  });

  it('says what is needed when ports cannot be forwarded', async () => {
    const { code, err } = await verify('verify demo --show-keys', [], () => {
      throw new Error('pods "demo-0" is forbidden');
    });
    expect(code).to.equal(EXIT.failed);
    expect(err)
      .to.match(/cannot read demo-0: pods "demo-0" is forbidden/)
      .and.match(/subresource=portforward/);
  });

  it('closes the port forward of a member that does not speak its protocol', async () => {
    const all = await members([9, 3]);
    let open = 0;
    const { code } = await verify('verify demo --show-keys', all, () => {
      open += 1;
      const close = (): void => {
        open -= 1;
      };
      return { host: '127.0.0.1', port: 1, ended: new Promise(() => undefined), close };
    });
    expect([code, open]).to.deep.equal([EXIT.failed, 0]);
    for (const member of all) await member[Symbol.asyncDispose]();
  });

  it('reads nothing unless it is asked for', async () => {
    const { out, forwarded } = await verify('verify demo', []);
    expect(out).to.not.include('HyperLogLog');
    expect(forwarded).to.deep.equal([]);
  });
});
