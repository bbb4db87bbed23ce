// What would happen next, as a person reads it. Pure.

import { DEFAULTS, type MarekvsCluster } from '@marekvs/api';
import { harmless, listed, type RenderContext } from '../../screen/text.ts';
import { boundsText } from '../../sizing/text.ts';
import type { NextSteps, RemovalOutlook, TurnsOutlook } from './next.ts';

/** @param size what happens to the size, one sentence each; empty for a fixed size */
export function planLines(
  cluster: MarekvsCluster,
  next: NextSteps,
  size: readonly string[],
  context: RenderContext,
): readonly string[] {
  const { metadata, spec, status } = cluster;
  const { steps, holds, removal, turns, moves, unseen } = next;
  const isIdle = steps.length + holds.length + moves.length === 0 && removal === undefined && turns === undefined;
  return [
    `${context.paint('bold', `${metadata.namespace}/${metadata.name}`)}: ${status?.replicas ?? '?'} nodes, ${spec.autoscale === undefined && spec.hosts?.onePerHost === undefined ? `spec.nodes ${spec.nodes ?? DEFAULTS.nodes}` : boundsText(cluster)}`,
    ...(isIdle ? ['nothing to do: the cluster is at its desired state'] : []),
    ...section('now:', steps, context),
    ...section(
      'in the way:',
      holds.map(({ reason, message }) => `${reason}: ${message}`),
      context,
    ),
    ...(removal === undefined ? [] : removalLines(removal, context)),
    ...moveLines(moves, context),
    ...(turns === undefined ? [] : turnLines(turns, context)),
    ...section('size:', size, context),
    ...section('not seen from here:', unseen, context),
  ];
}

function moveLines(moves: NextSteps['moves'], context: RenderContext): readonly string[] {
  const lines = moves.map(({ node, host, why }) => `${node} leaves ${host}, ${why}`);
  return section('members that are moved with their volumes, one after the other:', lines, context);
}

function turnLines({ revision, members, waits }: TurnsOutlook, context: RenderContext): readonly string[] {
  const lines = [
    ...members.map(({ node, way }) => `${node} ${TURNS[way]}`),
    ...(waits === undefined ? [] : [`waits: ${waits.reason}, ${waits.message}`]),
  ];
  return section(`members that get revision ${revision}, one after the other:`, lines, context);
}

const TURNS: Readonly<Record<TurnsOutlook['members'][number]['way'], string>> = {
  restart: 'is restarted on its volume',
  resize: 'gets its resources where it runs, without a restart',
  unknown: 'is restarted, or resized where it runs if the API server offers that',
  nextPod: 'does not run: its next Pod has it',
};

function removalLines(removal: RemovalOutlook, context: RenderContext): readonly string[] {
  const { node, why, basis, phase, checks, unseenChecks, waits, comes } = removal;
  const what = phase === undefined ? `next to leave: ${node}` : `leaving: ${node}, phase ${phase}`;
  const isShown = checks.some(({ hold }) => hold !== undefined && hold.message === waits?.message);
  const lines = [
    `${why === '' ? '' : `${why}; `}basis ${basis}`,
    ...checks.map(
      ({ name, passed, hold }) =>
        `${passed ? 'passes' : 'FAILS'} ${name}${hold === undefined ? '' : `: ${hold.message}`}`,
    ),
    ...(waits === undefined || isShown ? [] : [`waits: ${waits.reason}, ${waits.message}`]),
    ...(waits === undefined && unseenChecks.length > 0 ? [`then the operator checks ${unseenChecks.join(', ')}`] : []),
    `then: ${comes}`,
  ];
  return section(what, lines, context);
}

function section(title: string, lines: readonly string[], context: RenderContext): readonly string[] {
  return lines.length === 0 ? [] : ['', harmless(title), ...listed(lines, context)];
}
