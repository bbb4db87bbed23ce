// What keeps a node from being given up with its host too early or beside another one, and its Pod from being
// force-deleted while it runs.

import type { Mutant } from '../edits/mutant.ts';

const LOST = 'planner/src/hosts/lost-hosts.ts';

export const HOST_MUTANTS: readonly Mutant[] = [
  {
    name: 'hosts/time',
    edits: [
      {
        file: LOST,
        text: "  return state === 'notReady' ? lostMs : Math.min(CONFIRM_MS, lostMs);\n",
        replacement: "  return state === 'notReady' ? 0 * lostMs : Math.min(CONFIRM_MS, lostMs);\n",
      },
    ],
    caught: { scenario: 'host-lost', seed: 1, violation: /is given up, and host host-\d is not lost/ },
    without: 'A machine that restarts costs its member, and every copy of what it holds is made once more.',
  },
  {
    name: 'hosts/never',
    edits: [{ file: LOST, text: '  if (lostAfterSeconds === 0)\n', replacement: '  if (lostAfterSeconds < 0)\n' }],
    caught: { scenario: 'host-never', seed: 1, violation: /hosts\.lostAfterSeconds is 0/ },
    without: 'A person who has said never is not heard.',
  },
  {
    name: 'hosts/several',
    edits: [
      {
        file: LOST,
        text: '  if (away.length > 1 || finding.otherHosts > 0) return severalHold(o, away, finding);\n',
        replacement: '  if (away.length > 9 || finding.otherHosts > 0) return severalHold(o, away, finding);\n',
      },
      {
        file: LOST,
        text: '  const missing = others.find((other) => !isCarrying(other) && !isTakenBack(operation, other));\n',
        replacement: '  const missing = others.find((other) => !isCarrying(other) && other.hostLost !== undefined);\n',
      },
    ],
    shared: 'a member whose host is lost as well is not up either',
    caught: { scenario: 'hosts-lost', seed: 1, violation: /is given up/ },
    without: 'When a zone goes, members are given up that would have come back with all they have.',
  },
  {
    name: 'hosts/movable',
    edits: [
      {
        file: LOST,
        text: "  const stranded = fresh.filter(({ finding }) => finding.volume === 'bound');\n",
        replacement: "  const stranded = fresh.filter(({ finding }) => finding.volume !== 'unknown');\n",
      },
      {
        file: 'operator/src/cluster/steps/live-checks.ts',
        text: "  return confirmedIf(isAway(probe) && probe.volume === 'bound');\n",
        replacement: '  return confirmedIf(isAway(probe));\n',
      },
    ],
    shared: 'what is decided is read again right before it is done',
    caught: { scenario: 'host-moved', seed: 100, violation: /its volume can move/ },
    without: 'A member whose volume could follow it is copied anew.',
  },
  {
    name: 'hosts/force',
    edits: [
      {
        file: 'planner/src/observation/host-finding.ts',
        text: "  return (state === 'gone' || state === 'outOfService') && awayForMs >= CONFIRM_MS;\n",
        replacement: "  return state !== 'ready' && awayForMs >= CONFIRM_MS;\n",
      },
      {
        file: 'operator/src/node/steps/live-checks.ts',
        text: "  return confirmedIf(probe.state === 'gone' || probe.state === 'outOfService');\n",
        replacement: "  return confirmedIf(probe.state !== 'ready');\n",
      },
    ],
    shared: 'what is decided is read again right before it is done',
    caught: { scenario: 'host-lost', seed: 1, violation: /taken away by force, and its host may be on/ },
    without: 'A second process starts on a volume that one on a host cut off still writes to.',
  },
  {
    name: 'hosts/bound',
    edits: [
      {
        file: 'planner/src/hosts/leaving-members.ts',
        text: "  return leavingMembers(o).find(({ uid }) => o.hostFindings.get(uid)?.volume === 'movable');\n",
        replacement: '  return leavingMembers(o).find(({ uid }) => o.hostFindings.get(uid)?.volume !== undefined);\n',
      },
    ],
    caught: { scenario: 'drained-bound', seed: 1, violation: /./ },
    without: 'A member is restarted that no other host can take, and is away until its host is let in again.',
  },
  {
    name: 'hosts/looked-again',
    edits: [
      {
        file: 'planner/src/node/node-step.ts',
        text: 'message, true), offInMs(o.hostFinding));\n',
        replacement: 'message, true));\n',
      },
    ],
    caught: { scenario: 'host-moved', seed: 100, violation: /^wait for it is back on another host/ },
    without: 'A host that a person calls off says nothing more, and its Pod is never taken away.',
  },
  {
    name: 'hosts/compared',
    edits: [
      {
        file: 'planner/src/evidence/verification/verification.ts',
        text: '  const nodes = presentNodes(o);\n',
        replacement: '  const nodes = presentNodes === undefined ? [] : o.nodes;\n',
      },
    ],
    caught: { scenario: 'host-lost', seed: 1, violation: /^wait for those that are left are compared/ },
    without: 'Nobody knows whether every record is on its homes again before a person has acted on the lost host.',
  },
  {
    name: 'hosts/ready-and-silent',
    edits: [
      {
        file: 'planner/src/hosts/away-members.ts',
        text: '  if (pod.isReady) return silenceOfReadyLeftMs(answer, nowMs);\n',
        replacement: '  if (pod.isReady) return silenceOfReadyLeftMs(answer, Number.NEGATIVE_INFINITY);\n',
      },
    ],
    caught: { scenario: 'hosts-lost', seed: 60004, violation: /nobody is told that two hosts are lost/ },
    without: 'Nobody is told of a lost host whose Node object is gone while nobody marks the Pods that were on it.',
  },
];
