// MarekvsCluster as a kind: names, columns, subresources and the rules over the whole object
// (docs/design/contract.md#resources).

import { CLUSTER_NAME_PATTERN, HEADLESS_SUFFIX, MAX_CLUSTER_NAME_LENGTH } from '../names/names.ts';
import { MESSAGES } from '../rules/messages.ts';
import { clusterSpecSchema } from '../schema/cluster-spec.ts';
import { clusterStatusSchema } from '../schema/cluster-status.ts';
import { column, type KindDefinition, wide } from './definition.ts';

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
    column('Desired', 'integer', '.status.desiredNodes', 'Size that the operator works towards.'),
    column('Ready', 'integer', '.status.readyNodes', 'Members that are ready.'),
    wide('Updated', 'integer', '.status.update.updated', 'Members that run the current template.'),
    column(
      'Underrep',
      'integer',
      '.status.underreplicatedPartitions',
      'Partitions with fewer homes than replicationFactor.',
    ),
    wide('Min', 'integer', '.spec.autoscale.minNodes', 'Smallest size, if it follows the load.'),
    wide('Max', 'integer', '.spec.autoscale.maxNodes', 'Largest size, if it follows the load.'),
    column('Ops/s', 'number', '.status.opsPerSecond', 'Commands per second.'),
    column('Data', 'string', '.status.data.state', 'Whole, NotCompared, AtRisk or Lost.'),
    column('Phase', 'string', '.status.phase', 'For display only.'),
    column('Blocked', 'string', '.status.blockedBy', 'Why the phase is Blocked or the operation does not proceed.'),
    wide('Operation', 'string', '.status.operation.phase', 'Step of the operation under way.'),
    wide('Age', 'date', '.metadata.creationTimestamp', 'Time since it was created.'),
  ],
  scale: {
    specReplicasPath: '.spec.nodes',
    statusReplicasPath: '.status.replicas',
    labelSelectorPath: '.status.selector',
  },
};
