// What `kubectl mkv status demo --watch` draws on a small and a large terminal, as pictures that a person has reviewed.
// After a change of the layout, SCREENS=write makes them again, and the difference is part of the review.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MemoryApiServer } from '@marekvs/simulator';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { runFake } from './support/fake-cli.ts';
import { CLUSTERS, NODES, REF, serverWith } from './support/fake-server.ts';
import { NOW_MS } from './support/objects.ts';

const SIZES = [
  [80, 24],
  [120, 40],
] as const;

function removing(): MemoryApiServer {
  const server = serverWith(4, { status: { desiredNodes: 3, phase: 'ScalingDown', message: 'removing demo-3' } });
  const { uid } = server.get(NODES, { namespace: 'default', name: 'demo-3' }).metadata;
  const operation = {
    id: '3-abc',
    type: 'Remove',
    phase: 'Sealing',
    target: { name: 'demo-3', uid, nodeId: 3 },
    startedAt: new Date(NOW_MS - 240_000).toISOString(),
    phaseStartedAt: new Date(NOW_MS - 235_000).toISOString(),
    blocked: {
      reason: 'MemberSealing',
      message: 'not every member shows demo-3 behind its closed door yet',
      since: new Date(NOW_MS - 180_000).toISOString(),
    },
  };
  server.patch(CLUSTERS, REF, { status: { operation } }, 'status');
  return server;
}

const PICTURES: readonly (readonly [string, string, () => MemoryApiServer])[] = [
  ['healthy', 'a healthy cluster', () => serverWith(3)],
  ['removing', 'a removal that closes the door of its member', removing],
  ['large', 'a cluster of more nodes than lines', () => serverWith(50)],
];

/** Runs until it has drawn once. */
async function drawn(server: MemoryApiServer, columns: number, rows: number): Promise<string> {
  const stop = new AbortController();
  const lines = (): readonly string[] => {
    setImmediate(() => stop.abort());
    return [];
  };
  const { out } = await runFake(['status', 'demo', '--watch'], {
    server,
    nowMs: NOW_MS,
    isTty: true,
    env: { NO_COLOR: '1' },
    columns,
    rows,
    lines,
    signal: stop.signal,
  });
  // Without what clears the terminal before each picture.
  return out.split('\u001b[3J').at(-1) ?? '';
}

describe('the picture of status --watch', () => {
  for (const [name, what, make] of PICTURES)
    for (const [columns, rows] of SIZES)
      it(`of ${what} fits ${columns}x${rows}, and is the one that was reviewed`, async () => {
        const picture = await drawn(make(), columns, rows);
        const shown = picture.trimEnd().split('\n');
        expect(shown.length, picture).to.be.at.most(rows - 1);
        expect(Math.max(...shown.map((line) => line.length)), picture).to.be.at.most(columns);
        const file = join(import.meta.dirname, 'screens', `${name}-${columns}x${rows}.txt`);
        if (process.env.SCREENS === 'write') writeFileSync(file, picture);
        expect(existsSync(file), `${file}: SCREENS=write makes it`).to.equal(true);
        expect(picture).to.equal(readFileSync(file, 'utf8'));
      });
});
