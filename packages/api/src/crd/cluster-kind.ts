// MarekvsCluster as a kind: names, columns, subresources and the rules over the whole object
// (docs/design/contract.md#resources).

import { MESSAGES } from '../messages.ts';
import { CLUSTER_NAME_PATTERN, HEADLESS_SUFFIX, MAX_CLUSTER_NAME_LENGTH } from '../names.ts';
import { clusterSpecSchema } from '../schema/cluster-spec.ts';
import { clusterStatusSchema } from '../schema/cluster-status.ts';
import type { KindDefinition } from './definition.ts';

const nameFits =
  `size(self.metadata.name) <= ${MAX_CLUSTER_NAME_LENGTH} && self.metadata.name.matches('${CLUSTER_NAME_PATTERN}') && ` +
  `!self.metadata.name.endsWith('${HEADLESS_SUFFIX}')`;

export const CLUSTER_KIND: KindDefinition = {
  kind: 'MarekvsCluster',
  plural: 'marekvsclusters',
  singular: 'marekvscluster',
  shortNames: ['mkv'],
  description: 'A marekvs cluster: a number of equal members that serve every key.',
  spec: clusterSpecSchema,
  status: clusterStatusSchema,
  rules: [{ rule: nameFits, message: MESSAGES.clusterName }],
  columns: [
    { name: 'Desired', type: 'integer', jsonPath: '.status.desiredNodes', description: 'Size worked towards.' },
    { name: 'Ready', type: 'integer', jsonPath: '.status.readyNodes', description: 'Members that are ready.' },
    {
      name: 'Updated',
      type: 'integer',
      jsonPath: '.status.update.updated',
      description: 'Members that run the template that is asked for.',
      priority: 1,
    },
    {
      name: 'Underrep',
      type: 'integer',
      jsonPath: '.status.underreplicatedPartitions',
      description: 'Partitions with fewer homes than replicationFactor.',
    },
    {
      name: 'Min',
      type: 'integer',
      jsonPath: '.spec.autoscale.minNodes',
      description: 'Smallest size, while it follows the load.',
      priority: 1,
    },
    {
      name: 'Max',
      type: 'integer',
      jsonPath: '.spec.autoscale.maxNodes',
      description: 'Largest size, while it follows the load.',
      priority: 1,
    },
    { name: 'Ops/s', type: 'number', jsonPath: '.status.opsPerSecond', description: 'Commands per second.' },
    {
      name: 'Data',
      type: 'string',
      jsonPath: '.status.data.state',
      description: 'Whole, NotCompared, AtRisk or Lost.',
    },
    { name: 'Phase', type: 'string', jsonPath: '.status.phase', description: 'For display only.' },
    {
      name: 'Blocked',
      type: 'string',
      jsonPath: '.status.blockedBy',
      description: 'Why the phase is Blocked, or the operation does not go on.',
    },
    {
      name: 'Operation',
      type: 'string',
      jsonPath: '.status.operation.phase',
      description: 'Step of the operation under way.',
      priority: 1,
    },
    {
      name: 'Age',
      type: 'date',
      jsonPath: '.metadata.creationTimestamp',
      description: 'Time since it was created.',
      priority: 1,
    },
  ],
  scale: {
    specReplicasPath: '.spec.nodes',
    statusReplicasPath: '.status.replicas',
    labelSelectorPath: '.status.selector',
  },
};
