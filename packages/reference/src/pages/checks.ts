// The page on which safety is read: which check is asked before what, and why. Made of the table of the planner.

import { CHECKS, type CheckName, checksFor, type Purpose } from '@marekvs/planner';
import { code, page, table } from '../text/markdown.ts';

/** What each purpose is, as the end of "asked before …". */
const MEANING: { readonly [P in Purpose]: string } = {
  Proof: 'a removal begins that is proven by the contents of the members',
  NeverJoined: 'a node goes whose member never was a home of anything',
  Dead: 'a node goes whose member will never answer again',
  Forced: 'a node goes that a person has forced out',
  Turn: 'a member has its turn of an update',
  Move: 'a member is moved off its host',
  Mend: 'a member is restarted that somebody else has drained',
  Suspend: 'a member is stopped for repair by hand',
  Hibernate: 'all members are stopped',
  Unlock: 'a member is restarted that takes no known password',
  Sealing: 'the process of a member ends, to close its door or to stop it for a while',
  Proving: 'the MarekvsNode of a removed member is deleted, and again before its Pod ends',
  Settling: 'the volume of a removed member is given up, members stop together, or have woken',
  Restarting: 'the process of a member ends in its turn',
  CatchingUp: 'the turn of a restarted member is over',
  HandOver: 'the members are handed to a StatefulSet',
};

interface Text {
  readonly asks: string;
  readonly why: string;
}

const TEXTS: { readonly [C in CheckName]: Text } = {
  replicationFactorAboveOne: {
    asks: 'Do other members have copies at all?',
    why: 'With one copy nobody else has what the member holds.',
  },
  floor: {
    asks: 'Are replicationFactor + 1 members left?',
    why: 'With fewer, the next member that fails takes a copy that has no other place.',
  },
  sameReplicationFactor: {
    asks: 'Do all members run with one replicationFactor?',
    why: 'Members that place copies differently agree on no proof. A node that has to go anyway does not wait for it.',
  },
  nobodyMoving: {
    asks: 'Is nobody being replaced, joining, or entering the client Service?',
    why: 'A node that has to go carries its share until another does, and a new one is the first trial of a template.',
  },
  everyVolumeKept: {
    asks: 'Does every member still have its volume, this one included?',
    why: 'A restart would end what only a process without its volume has.',
  },
  nobodyLeaving: {
    asks: 'Was no member asked or told to leave, this one included?',
    why: 'A removal that was taken back is over only when its member was restarted.',
  },
  nobodyElseLeaving: {
    asks: 'Was no other member asked or told to leave?',
    why: 'Two members that go together may be all homes of a key.',
  },
  volumesKept: {
    asks: 'Do all other members have their volumes?',
    why: 'What this member holds may be all that is left of what another has lost. A held-out member that joins does not wait for it.',
  },
  notFollowing: {
    asks: 'Does the member take no feed of an upstream Redis?',
    why: 'The feed would end with it.',
  },
  othersUp: {
    asks: 'Are the Pods of all others ready and not ending?',
    why: 'An answer is seconds old, and a process that was just killed has given one, too.',
  },
  membersReady: {
    asks: 'Is every Pod ready, and has every member answered?',
    why: 'A member that does not answer is not healthy, not empty, and not gone.',
  },
  membershipAgreed: {
    asks: 'Do the last answers of all show the same list?',
    why: 'Which homes a key has follows from the list. How old an answer may be is asked later, by viewsAgree.',
  },
  membersMatchNodes: {
    asks: 'Does that list have exactly the nodes that were asked?',
    why: 'A member without a node is a home that nobody asks, and a node without a member has no copies.',
  },
  nobodyJoining: {
    asks: 'Has everybody in the list primaries?',
    why: 'A member that joins or leaves is not the home that it will be. A restart does not wait for one that was drained from outside.',
  },
  recordsInPlace: {
    asks: 'Did the last comparison find no record missing?',
    why: 'Missing records would keep the removal from its end, with its target drained meanwhile. A held-out member is restarted to get them.',
  },
  membersAnswer: {
    asks: 'Has every process answered lately, with every figure?',
    why: 'A figure that is missing proves nothing. Unlike membersReady it asks for the figures, and for the present process.',
  },
  viewsAgree: {
    asks: 'Do all show lately the same members, generations and placement, and no others than those that are asked?',
    why: 'A list of homes that is about to change proves nothing. After a removal or a restart everybody has to have primaries as well.',
  },
  noPrimaries: {
    asks: 'Does every list show the member, and only it, without primaries?',
    why: 'Cluster-aware clients write to whoever has primaries.',
  },
  graceOver: {
    asks: 'Have clients had time to move since then?',
    why: 'They are not disconnected by the server, and what they write until the process ends is on its volume only.',
  },
  doorClosed: {
    asks: 'Can no client reach the process?',
    why: 'A pool that stays connected writes until the process ends, and what it was told is stored would go with the volume.',
  },
  placement: {
    asks: 'Does each member home what is computed for it?',
    why: 'A copy is at home only where all members expect it.',
  },
  meshComplete: {
    asks: 'Is each member connected to all others?',
    why: 'A member that is cut off gets no copies, and gossip does not show it.',
  },
  writesAllowed: {
    asks: 'Is no disk full?',
    why: 'A full member takes no copy. A restart moves none, and may be what mends the disk.',
  },
  noRejoin: {
    asks: 'Does no member take up an old volume?',
    why: 'It may drop what it alone has, or get what it lacks.',
  },
  diskFits: {
    asks: 'Do the disks of the others have room for its share?',
    why: 'They take over what it homes. The share of a dead member was taken over before, and one that never joined has none.',
  },
  contents: {
    asks: 'Was every record seen on its other homes since then?',
    why: 'This is the proof. The checks before it say that nothing can have changed it since.',
  },
  notStopped: { asks: 'Is no member stopped, or to be?', why: 'A StatefulSet would start it.' },
  nothingUnderWay: { asks: 'Is no operation under way?', why: 'Nobody would end it after the handover.' },
  likeSpec: {
    asks: 'Can a StatefulSet of the existing operator express the spec?',
    why: 'A member that it makes again would run with other settings, or in another cluster.',
  },
  likeIds: {
    asks: 'Are names, claims and ids those of a StatefulSet?',
    why: 'It counts from 0 without a gap, and ends Pods with a higher number.',
  },
  likeFolders: {
    asks: 'Is the data of every member where a StatefulSet looks for it?',
    why: 'The member would start empty under a used id.',
  },
  settled: {
    asks: 'Are size, templates and settings those of the spec?',
    why: 'Nobody would finish a change after the handover.',
  },
  allWell: {
    asks: 'Does every member serve, do all show each other, and is no record missing?',
    why: 'What is not whole cannot be repaired after the handover.',
  },
};

const GROUPS: readonly { readonly title: string; readonly purposes: readonly Purpose[] }[] = [
  { title: 'Before a node goes', purposes: ['Proof', 'NeverJoined', 'Dead', 'Forced'] },
  {
    title: 'Before a member is away for a while',
    purposes: ['Turn', 'Move', 'Mend', 'Suspend', 'Hibernate', 'Unlock'],
  },
  {
    title: 'Before a process ends, and when one is back',
    purposes: ['Sealing', 'Proving', 'Settling', 'Restarting', 'CatchingUp'],
  },
  { title: 'Before the members change hands', purposes: ['HandOver'] },
];

export function checksPage(): string {
  const names = Object.keys(CHECKS) as CheckName[];
  return page({
    title: 'The checks',
    source: 'packages/planner/src/evidence/checks.ts and packages/reference/src/pages/checks.ts',
    blocks: [
      'Before anything takes a member away, and before anything that cannot be undone, the planner asks the checks of a column of this page, from top to bottom. The first that does not pass is the reason that a person reads. What is not known does not pass.',
      ...GROUPS.flatMap(({ title, purposes }) => [
        `## ${title}`,
        table(
          ['purpose', 'asked before'],
          purposes.map((purpose) => [code(purpose), MEANING[purpose]]),
        ),
        matrix(names, purposes),
      ]),
      '## What is not here',
      'Whatever waits for a time, a place in line, a stored template or a password is not about safety, and is where it is planned. Right before each write, the [fences](runtime.md#write-fences) read again what it relies on. These rules of safety stand alone, since each is asked at one place only:',
      [
        '- the end of a member whose host is lost: `whyNotNow` of `hosts/lost-hosts.ts`',
        '- the stop of a member that cannot be asked, or that has the only copies: `whatKeeps` of `operations/sleep/suspension.ts`',
        '- the restart that takes a removal back: `operations/removal/cancelling.ts`, and on the node `node/cancel-restart.ts`',
        '- the start of members after an outage, and their order: `node/outage.ts`, `node/restart-order.ts`',
        '- the departure of a node that goes without proof: `node/departure-permit.ts`',
      ].join('\n'),
      '## What each check asks, and why',
      table(
        ['check', 'asks', 'why'],
        names.map((name) => [code(name), TEXTS[name].asks, TEXTS[name].why]),
      ),
    ],
  });
}

/** The checks that are asked for some of these purposes. */
function matrix(names: readonly CheckName[], purposes: readonly Purpose[]): string {
  const asked = purposes.map((purpose): readonly CheckName[] => checksFor(purpose));
  return table(
    ['check', ...purposes],
    names
      .filter((name) => asked.some((list) => list.includes(name)))
      .map((name) => [code(name), ...asked.map((list) => (list.includes(name) ? '●' : ''))]),
  );
}
