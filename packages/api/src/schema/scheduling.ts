// Where Pods may run: the Kubernetes scheduling fields, bounded and structural so that a mistake is refused when the
// cluster is applied and not when its first Pod is made.

import { z } from 'zod';
import { DEFAULTS } from '../default-values.ts';
import { ENUM_VALUES, MAX } from '../limits.ts';
import { describe, integer, text, textMap } from './field.ts';

const int64 = { min: -9_007_199_254_740_991, max: 9_007_199_254_740_991 };
const weight = integer({ min: 1, max: 100 });
const texts = (max: number = MAX.name) =>
  z.array(text(max)).max(MAX.listEntries).meta({ 'x-kubernetes-list-type': 'atomic' });

const requirement = (operators: readonly [string, ...string[]], what: string) =>
  z.object({
    key: describe(text(MAX.name + 64), `Key of the ${what} the requirement is about.`),
    operator: describe(z.enum(operators), 'How the key relates to the values.'),
    values: describe(texts(), 'Values for In and NotIn (at least one) or Gt and Lt (exactly one).').optional(),
  });

const nodeRequirement = requirement(['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'], 'host label or field');
const labelRequirement = requirement(['In', 'NotIn', 'Exists', 'DoesNotExist'], 'label');

const list = <S extends z.ZodType>(schema: S) =>
  z.array(schema).max(MAX.listEntries).meta({ 'x-kubernetes-list-type': 'atomic' });

const nodeSelectorTerm = z.object({
  matchExpressions: describe(list(nodeRequirement), 'Requirements on host labels, all of which must hold.').optional(),
  matchFields: describe(list(nodeRequirement), 'Requirements on host fields, all of which must hold.').optional(),
});

const labelSelector = z
  .object({
    matchLabels: describe(
      textMap(MAX.mapEntries, MAX.labelValue),
      'Labels that must have exactly these values.',
    ).optional(),
    matchExpressions: describe(list(labelRequirement), 'Requirements on labels, all of which must hold.').optional(),
  })
  .meta({ 'x-kubernetes-map-type': 'atomic' });

const podAffinityTerm = z.object({
  topologyKey: describe(text(MAX.name + 64, 1), 'Host label that says which hosts are one place.'),
  labelSelector: describe(labelSelector, 'Pods the rule is about; unset matches none.').optional(),
  namespaceSelector: describe(labelSelector, 'Namespaces of those Pods, by label.').optional(),
  namespaces: describe(
    texts(63),
    'Namespaces of those Pods, by name; default the namespace of the cluster.',
  ).optional(),
  matchLabelKeys: describe(texts(), 'Pod label keys whose values are taken from the incoming Pod.').optional(),
  mismatchLabelKeys: describe(texts(), 'Pod label keys whose values must differ from the incoming Pod.').optional(),
});

const podAffinity = z.object({
  requiredDuringSchedulingIgnoredDuringExecution: describe(list(podAffinityTerm), 'Terms that must hold.').optional(),
  preferredDuringSchedulingIgnoredDuringExecution: describe(
    list(
      z.object({
        weight: describe(weight, 'How much it counts, 1 to 100.'),
        podAffinityTerm: describe(podAffinityTerm, 'Term that should hold.'),
      }),
    ),
    'Terms that should hold, with weights.',
  ).optional(),
});

const nodeAffinity = z.object({
  requiredDuringSchedulingIgnoredDuringExecution: describe(
    z
      .object({ nodeSelectorTerms: describe(list(nodeSelectorTerm).min(1), 'Terms of which one must hold.') })
      .meta({ 'x-kubernetes-map-type': 'atomic' }),
    'What a host must have.',
  ).optional(),
  preferredDuringSchedulingIgnoredDuringExecution: describe(
    list(
      z.object({
        weight: describe(weight, 'How much it counts, 1 to 100.'),
        preference: describe(nodeSelectorTerm, 'Term that should hold.'),
      }),
    ),
    'What a host should have, with weights.',
  ).optional(),
});

const affinity = z.object({
  nodeAffinity: describe(nodeAffinity, 'Rules about hosts.').optional(),
  podAffinity: describe(podAffinity, 'Places to share with other Pods.').optional(),
  podAntiAffinity: describe(podAffinity, 'Places not to share with other Pods.').optional(),
});

const toleration = z.object({
  key: describe(text(MAX.name + 64), 'Taint key; unset with operator Exists tolerates every taint.').optional(),
  operator: describe(z.enum(['Exists', 'Equal']), 'Default Equal.').optional(),
  value: describe(text(MAX.labelValue), 'Taint value for Equal.').optional(),
  effect: describe(z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']), 'Unset matches every effect.').optional(),
  tolerationSeconds: describe(integer(int64), 'Seconds a NoExecute taint is tolerated; unset = for ever.').optional(),
});

const spreadConstraint = z.object({
  maxSkew: describe(integer({ min: 1, max: 1000 }), 'Largest difference of Pods between two places.'),
  topologyKey: describe(text(MAX.name + 64, 1), 'Host label that says which hosts are one place.'),
  whenUnsatisfiable: describe(z.enum(['DoNotSchedule', 'ScheduleAnyway']), 'What to do when it cannot hold.'),
  labelSelector: describe(
    labelSelector,
    'Pods that are counted; the operator uses those of the cluster if unset.',
  ).optional(),
  minDomains: describe(integer({ min: 1, max: 1000 }), 'Smallest number of places.').optional(),
  nodeAffinityPolicy: describe(z.enum(['Honor', 'Ignore']), 'Whether node affinity narrows the places.').optional(),
  nodeTaintsPolicy: describe(z.enum(['Honor', 'Ignore']), 'Whether taints narrow the places.').optional(),
  matchLabelKeys: describe(texts(), 'Pod label keys whose values narrow the Pods that are counted.').optional(),
});

/** Fields of MarekvsCluster.spec and, stamped, of MarekvsNode.spec.template.scheduling. */
export const schedulingFields = {
  nodeSelector: describe(textMap(MAX.mapEntries, MAX.labelValue), 'Labels a host must have. Default none.').optional(),
  tolerations: describe(list(toleration), 'Taints the Pods tolerate. Default none.').optional(),
  hostnameSpreadWhenUnsatisfiable: describe(
    z.enum(ENUM_VALUES.hostnameSpreadWhenUnsatisfiable),
    'What happens when the Pods cannot be spread evenly over hosts. DoNotSchedule also sets nodeTaintsPolicy: Honor. ' +
      'Default ScheduleAnyway.',
    { default: DEFAULTS.hostnameSpreadWhenUnsatisfiable },
  ).optional(),
  affinity: describe(affinity, 'Kubernetes affinity of the Pods. Default none.').optional(),
  topologySpreadConstraints: describe(
    list(spreadConstraint),
    'Spread rules beside the one over hosts. Default none.',
  ).optional(),
  priorityClassName: describe(
    text(MAX.name, 1),
    'PriorityClass of the Pods. Default that of the namespace.',
  ).optional(),
};
