// How the members are spread over zones, and what a zone that is lost would take along. Computed here from what the
// nodes say of themselves, so that it costs the API server nothing and no status has to follow it. Pure.

import { type MarekvsNode, PARTITIONS } from '@marekvs/api';
import { type ZoneSpread, zoneSpread } from '@marekvs/planner';
import { type RenderContext, sentence } from './text.ts';

/** Nothing while members do not agree on who is a home, and where neither hosts nor Pods speak of zones. */
export function zoneLines(nodes: readonly MarekvsNode[], context: RenderContext): readonly string[] {
  const homes = nodes.filter(({ status }) => (status?.ownedPartitions ?? 0) > 0);
  const members = homes.map(({ spec, status }) => ({ id: spec.nodeId, zone: status?.zone }));
  const factor = Math.min(...homes.map(({ spec }) => spec.template.replicationFactor));
  const texts = [
    ...(members.some(({ zone }) => zone !== undefined)
      ? [spreadText(zoneSpread(members, factor), factor, members.length)]
      : []),
    ...unknownText(homes),
  ];
  return texts.length === 0 ? [] : ['', ...sentence(`zones: ${texts.join('; ')}`, context)];
}

function spreadText({ zones, inOneZone, factorForNone }: ZoneSpread, factor: number, size: number): string {
  const [first] = zones;
  if (first?.members === size) return `all ${size} members are in ${first.zone}`;
  const counts = zones.map(({ zone, members }, index) => `${zone} has ${counted(members, index === 0)}`).join(', ');
  // With one home there is no other one that could be elsewhere.
  if (factor === 1) return counts;
  if (inOneZone === 0) return `${counts}; no partition has all its homes in one of them`;
  const share = Math.max(1, Math.round((inOneZone / PARTITIONS) * 100));
  const advice =
    factorForNone === undefined
      ? 'members in more zones make it fewer'
      : `replicationFactor ${factorForNone} leaves none`;
  return `${counts}; ${inOneZone} of ${PARTITIONS} partitions (${share} %) have all their homes in one of them, since marekvs places by ids and knows no zones: ${advice}`;
}

function counted(members: number, isFirst: boolean): string {
  return isFirst ? `${members} ${members === 1 ? 'member' : 'members'}` : String(members);
}

/** Where the hosts have no zones at all there is nothing to say. */
function unknownText(homes: readonly MarekvsNode[]): readonly string[] {
  const named = (source: string) => homes.filter(({ status }) => status?.zoneSource === source).map(nameOf);
  const unread = named('NotReadable');
  const unlabelled = homes.some(({ status }) => status?.zone !== undefined) ? named('HostUnlabelled') : [];
  return [
    ...(unread.length === 0
      ? []
      : [
          `not known of ${unread.join(', ')}: the Pods do not say it, as they do from Kubernetes 1.35 on where hosts have zones, and the operator may not read hosts (config/components/hosts)`,
        ]),
    ...(unlabelled.length === 0 ? [] : [`${unlabelled.join(', ')} on hosts without a zone`]),
  ];
}

function nameOf({ metadata }: MarekvsNode): string {
  return metadata.name;
}
