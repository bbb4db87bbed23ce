// `npm run bench:hosts`: what the loss or a drain of hosts costs, on members with the server's own timers and 20,000
// keys. One is lost with its disk: how long until every record is on every home again, and how much of that is waiting
// for the host. Six are drained with kubectl while clients write, the last one with a volume that cannot move. A
// missing acknowledged write is an error. About four minutes; `-- --lost` for the first part alone; `-- --json`.

import { benchOptions } from './command-line.ts';
import { type Figure, figure, renderFigures } from './figure.ts';
import { drainHosts, loseHost, replaceOnHost } from './hosts.ts';
import { onTestbed } from './on-testbed.ts';

const LOST_AFTER_SECONDS = 30;
const { lost: isLossAlone, json: isJson } = benchOptions({
  usage: `usage: npm run bench:hosts [-- [--lost] [--json]]
  what a host that is lost costs, and five that are drained, in about four minutes
  --lost    only the host that is lost
  --json    figures for machines, and nothing else
  --help    this text
`,
  options: { lost: { type: 'boolean', default: false }, json: { type: 'boolean', default: false } },
});
const say = (text: string): void => void (isJson ? undefined : process.stdout.write(`${text}\n`));

const figures = [...(await lost()), ...(isLossAlone ? [] : await drained())];
process.stdout.write(isJson ? `${JSON.stringify(figures, null, 2)}\n` : `\n${renderFigures(figures)}\n`);
process.exitCode = figures.every(({ value, limit }) => value <= limit) ? 0 : 1;

async function lost(): Promise<readonly Figure[]> {
  return onTestbed({ runner: 'process', operator: true, nodeCount: 6 }, async (testbed) => {
    say(
      `A host off for good under one of four members, hosts.lostAfterSeconds ${LOST_AFTER_SECONDS} (about 2 minutes)`,
    );
    const { markedSeconds, fullSeconds, requests, writes, reads } = await loseHost(testbed, LOST_AFTER_SECONDS, say);
    return [
      figure('from the loss of a host to full copies', fullSeconds, 's', 150),
      // Half a minute of silence before the host is probed, and then the time that it is given.
      figure('  of it waiting for the host', markedSeconds, 's', LOST_AFTER_SECONDS + 45),
      figure('  of it the new member', Number((fullSeconds - markedSeconds).toFixed(1)), 's', 120),
      figure('  API requests', requests, '', 150),
      figure('  API writes', writes, '', 60),
      // A missing write would have ended this with an error.
      figure('  lost of 20,000 keys and of all written since', 0, '', 0),
      figure(`  read a second after they were written: empty of ${reads.read}`, reads.empty, '', 0),
      figure('    stale', reads.stale, '', 0),
    ];
  });
}

async function drained(): Promise<readonly Figure[]> {
  return onTestbed({ runner: 'process', operator: true, nodeCount: 12 }, async (testbed) => {
    say('Five hosts drained one after the other under writes (about 2 minutes)');
    const moved = await drainHosts(testbed, say);
    say('One more, under a member whose volume is a disk of it');
    const replaced = await replaceOnHost(testbed, say);
    return [
      figure('5 hosts drained one after the other', moved.seconds, 's', 300),
      figure('  the slowest of them', moved.slowestSeconds, 's', 90),
      figure('  API requests a host', moved.requestsEach, '', 120),
      figure('  API writes a host', moved.writesEach, '', 40),
      figure('  members down at once', moved.mostDown, '', 1),
      figure('  longest time without an answer', moved.longestGapMs, 'ms', 1_000),
      figure('a host drained with the disk of its member', replaced.seconds, 's', 180),
      figure('  API writes', replaced.writes, '', 60),
      figure('  members down at once', replaced.mostDown, '', 0),
      figure('  longest time without an answer', replaced.longestGapMs, 'ms', 1_000),
    ];
  });
}
