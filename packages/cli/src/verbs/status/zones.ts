// How the members are spread over zones, and what the loss of a zone would cost. Computed here from the status of the
// nodes, so that it costs the API server nothing and no status has to be kept up to date. Pure.

import { type MarekvsNode, PARTITIONS } from '@marekvs/api';
import { type ZoneSpread, zoneSpread } from '@marekvs/planner';
import { type RenderContext, sentence } from '../../screen/text.ts';

/** Empty while the members do not agree on the homes, and where neither hosts nor Pods name zones. */
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
  // With one home there is no second one that could be in another zone.
  if (factor === 1) return counts;
  if (inOneZone === 0) return `${counts}; no partition has all its homes in one of them`;
  const share = Math.max(1, Math.round((inOneZone / PARTITIONS) * 100));
  const advice =
    factorForNone === undefined
      ? 'spreading members over more zones makes it fewer'
      : `replicationFactor ${factorForNone} leaves none`;
  return `${counts}; ${inOneZone} of ${PARTITIONS} partitions (${share} %) have all their homes in one of them, since marekvs places by ids and knows no zones: ${advice}`;
}

function counted(members: number, isFirst: boolean): string {
  return isFirst ? `${members} ${members === 1 ? 'member' : 'members'}` : String(members);
}

/** Members whose zone is not known. Unlabelled hosts are named only if some host has a zone. */
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
