// MarekvsNode as a kind: names, columns, selectable fields and the rules over the whole object
// (docs/design/contract.md#resources).

import { MESSAGES } from '../rules/messages.ts';
import { nodeSpecSchema } from '../schema/node-spec.ts';
import { nodeStatusSchema } from '../schema/node-status.ts';
import { column, type KindDefinition, wide } from './definition.ts';

// Not `name == clusterName + '-' + string(nodeId)`: the API server cannot bound the length of string() and refuses it.
// The first three conditions guard the fourth, in which int() would fail on other text.
const nameFits = [
  "self.metadata.name.startsWith(self.spec.clusterName + '-')",
  "self.metadata.name.lastIndexOf('-') == size(self.spec.clusterName)",
  "self.metadata.name.matches('-(0|[1-9][0-9]{0,4})$')",
  'int(self.metadata.name.substring(size(self.spec.clusterName) + 1)) == self.spec.nodeId',
].join(' && ');

const readyCondition = '.status.conditions[?(@.type=="Ready")]';

export const NODE_KIND: KindDefinition = {
  kind: 'MarekvsNode',
  plural: 'marekvsnodes',
  singular: 'marekvsnode',
  shortNames: ['mkvnode'],
  description: 'One member of a marekvs cluster: its Pod, its volume and its place in the membership.',
  spec: nodeSpecSchema,
  status: nodeStatusSchema,
  rules: [{ rule: nameFits, message: MESSAGES.nodeName }],
  columns: [
    column('Cluster', 'string', '.spec.clusterName', 'Cluster it belongs to.'),
    column('ID', 'integer', '.spec.nodeId', 'Id of the member.'),
    column('Phase', 'string', '.status.phase', 'For display only.'),
    column('SeenBy', 'string', '.status.seenBy', 'How many members see it, out of how many.'),
    column('Ready', 'string', `${readyCondition}.status`, 'Whether it serves.'),
    column('Host', 'string', '.status.hostName', 'Kubernetes Node it runs on.'),
    column('Volume', 'string', '.status.pvcName', 'Its volume claim.'),
    column('Age', 'date', '.metadata.creationTimestamp', 'Time since it was created.'),
    wide('Image', 'string', '.spec.template.image', 'Server image.'),
    wide('IP', 'string', '.status.podIP', 'Address of its Pod.'),
    wide('Zone', 'string', '.status.zone', 'Zone of its host.'),
    wide('Size', 'string', '.status.volumeSize', 'Actual size of its volume.'),
    wide('Asked', 'string', '.spec.storage.size', 'Requested size of its volume.'),
    wide('Partitions', 'integer', '.status.ownedPartitions', 'Partitions it is a home of.'),
    wide('Reason', 'string', `${readyCondition}.reason`, 'Why it is ready or not.'),
  ],
  selectableFields: ['.spec.clusterName'],
};
