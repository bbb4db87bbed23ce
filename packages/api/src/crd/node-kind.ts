// MarekvsNode as a kind: names, columns, selectable fields and the rules over the whole object
// (docs/design/contract.md#resources).

import { MESSAGES } from '../messages.ts';
import { nodeSpecSchema } from '../schema/node-spec.ts';
import { nodeStatusSchema } from '../schema/node-status.ts';
import type { KindDefinition } from './definition.ts';

// Not `name == clusterName + '-' + string(nodeId)`: the API server cannot bound the length of string() and refuses it.
// The first three claims guard the fourth, in which int() would fail on other text.
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
  rules: [
    {
      rule: nameFits,
      message: MESSAGES.nodeName,
    },
  ],
  columns: [
    { name: 'Cluster', type: 'string', jsonPath: '.spec.clusterName', description: 'Cluster it belongs to.' },
    { name: 'ID', type: 'integer', jsonPath: '.spec.nodeId', description: 'Id of the member.' },
    { name: 'Phase', type: 'string', jsonPath: '.status.phase', description: 'For display only.' },
    { name: 'SeenBy', type: 'string', jsonPath: '.status.seenBy', description: 'Members that see it, of how many.' },
    { name: 'Ready', type: 'string', jsonPath: `${readyCondition}.status`, description: 'Whether it serves.' },
    { name: 'Host', type: 'string', jsonPath: '.status.hostName', description: 'Kubernetes Node it runs on.' },
    { name: 'Volume', type: 'string', jsonPath: '.status.pvcName', description: 'Its volume claim.' },
    {
      name: 'Age',
      type: 'date',
      jsonPath: '.metadata.creationTimestamp',
      description: 'Time since it was created.',
    },
    { name: 'Image', type: 'string', jsonPath: '.spec.template.image', description: 'Server image.', priority: 1 },
    { name: 'IP', type: 'string', jsonPath: '.status.podIP', description: 'Address of its Pod.', priority: 1 },
    { name: 'Zone', type: 'string', jsonPath: '.status.zone', description: 'Zone of its host.', priority: 1 },
    {
      name: 'Size',
      type: 'string',
      jsonPath: '.status.volumeSize',
      description: 'Size its volume has.',
      priority: 1,
    },
    {
      name: 'Asked',
      type: 'string',
      jsonPath: '.spec.storage.size',
      description: 'Size its volume shall have.',
      priority: 1,
    },
    {
      name: 'Partitions',
      type: 'integer',
      jsonPath: '.status.ownedPartitions',
      description: 'Partitions it is a home of.',
      priority: 1,
    },
    {
      name: 'Reason',
      type: 'string',
      jsonPath: `${readyCondition}.reason`,
      description: 'Why it is ready or not.',
      priority: 1,
    },
  ],
  selectableFields: ['.spec.clusterName'],
};
