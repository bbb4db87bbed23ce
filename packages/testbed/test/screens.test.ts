// What `npm start` draws on a small and a large terminal, as pictures that a person has reviewed. After a change of the
// layout, SCREENS=write makes them again, and the difference is part of the review.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { renderScreen, type Snapshot } from '../src/view/render.ts';

/** The lines that the drawing leaves free, for what was printed before and for the cursor. */
const FREE_ROWS = 2;
const SIZES = [
  [80, 24],
  [120, 40],
] as const;
const NOW_MS = 600_000;

/** The sample, and two more clusters: one that grows, and one with a long name whose removal is blocked. */
function snapshot(nodesOfTeam: number): Snapshot {
  const nodes = (namespace: string, cluster: string, count: number) =>
    Array.from({ length: count }, (_, id) => ({
      namespace,
      name: `${cluster}-${id}`,
      cluster,
      id,
      phase: id === 4 ? 'Joining' : 'Active',
      seenBy: id === 4 ? '2/5' : '5/5',
      ready: id === 4 ? 'False' : 'True',
      host: `host-${id % 5}`,
      volume: `data-${cluster}-${id}`,
      createdAtMs: NOW_MS - 90_000,
    }));
  const cluster = { underreplicated: '0', opsPerSecond: '120', data: 'Whole', blocked: '', message: '' };
  const events = Array.from({ length: 9 }, (_, index) => ({
    uid: `e${index}`,
    atMs: index * 60_000,
    type: index === 8 ? 'Warning' : 'Normal',
    namespace: 'default',
    about: 'demo-4',
    reason: index === 8 ? 'PodUnschedulable' : 'PodCreated',
    note: `created Pod demo-4 on volume data-demo-4, for the ${index + 1}th time, which is a long sentence`,
  }));
  return {
    clusters: [
      {
        ...cluster,
        namespace: 'default',
        name: 'demo',
        desired: '5',
        ready: '4',
        phase: 'ScalingUp',
        message: '4 of 5 members are ready; demo-4 is joining',
      },
      {
        ...cluster,
        namespace: 'team-a',
        name: 'sessions',
        desired: '3',
        ready: '3',
        data: 'AtRisk',
        phase: 'Blocked',
        blocked: 'ContentsUnreadable',
        message: 'blocked: removing sessions-3 waits: its contents cannot be read',
      },
    ],
    nodes: [...nodes('default', 'demo', 5), ...nodes('team-a', 'sessions', nodesOfTeam)],
    events,
  };
}

describe('the picture of npm start', () => {
  for (const [name, count] of [
    ['two-clusters', 3],
    ['many-nodes', 40],
  ] as const)
    for (const [columns, rows] of SIZES)
      it(`of ${name} fits ${columns}x${rows}, and is the one that was reviewed`, () => {
        const lines = renderScreen(snapshot(count), NOW_MS, { columns, rows: rows - FREE_ROWS });
        expect(lines.length).to.be.at.most(rows - FREE_ROWS);
        expect(Math.max(...lines.map((line) => line.length))).to.be.at.most(columns);
        const picture = `${lines.join('\n')}\n`;
        const file = join(import.meta.dirname, 'screens', `${name}-${columns}x${rows}.txt`);
        if (process.env.SCREENS === 'write') writeFileSync(file, picture);
        expect(existsSync(file), `${file}: SCREENS=write makes it`).to.equal(true);
        expect(picture).to.equal(readFileSync(file, 'utf8'));
      });
});
