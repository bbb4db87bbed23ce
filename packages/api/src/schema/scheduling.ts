// Where Pods may run: the Kubernetes scheduling fields, bounded and structural so that a mistake is refused when the
// cluster is applied and not when its first Pod is made.

import { z } from 'zod';
import { DEFAULTS, ENUM_VALUES, MAX } from '../rules/limits.ts';
import { describe, integer, list, optional, text, textMap } from './field.ts';

const int64 = { min: -9_007_199_254_740_991, max: 9_007_199_254_740_991 };
const weight = integer({ min: 1, max: 100 });
const texts = (max: number = MAX.name) => list(text(max));

const requirement = (operators: readonly [string, ...string[]], what: string) =>
  z.object({
    key: describe(text(MAX.name + 64), `Key of the ${what} the requirement is about.`),
    operator: describe(z.enum(operators), 'How the key relates to the values.'),
    values: optional(texts(), 'Values for In and NotIn (at least one) or Gt and Lt (exactly one).'),
  });

const nodeRequirement = requirement(['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'], 'host label or field');
const labelRequirement = requirement(['In', 'NotIn', 'Exists', 'DoesNotExist'], 'label');

const nodeSelectorTerm = z.object({
  matchExpressions: optional(list(nodeRequirement), 'Requirements on host labels, all of which must hold.'),
  matchFields: optional(list(nodeRequirement), 'Requirements on host fields, all of which must hold.'),
});

const labelSelector = z
  .object({
    matchLabels: optional(textMap(MAX.mapEntries, MAX.labelValue), 'Labels that must have exactly these values.'),
    matchExpressions: optional(list(labelRequirement), 'Requirements on labels, all of which must hold.'),
  })
  .meta({ 'x-kubernetes-map-type': 'atomic' });

const podAffinityTerm = z.object({
  topologyKey: describe(
    text(MAX.name + 64, 1),
    'Host label that divides hosts into places: those with the same value are one place.',
  ),
  labelSelector: optional(labelSelector, 'Pods that the rule is about; unset matches none.'),
  namespaceSelector: optional(labelSelector, 'Namespaces of those Pods, by label.'),
  namespaces: optional(texts(63), 'Namespaces of those Pods, by name; default the namespace of the cluster.'),
  matchLabelKeys: optional(texts(), 'Pod label keys whose values are taken from the incoming Pod.'),
  mismatchLabelKeys: optional(texts(), 'Pod label keys whose values must differ from the incoming Pod.'),
});

const podAffinity = z.object({
  requiredDuringSchedulingIgnoredDuringExecution: optional(list(podAffinityTerm), 'Terms that must hold.'),
  preferredDuringSchedulingIgnoredDuringExecution: optional(
    list(
      z.object({
        weight: describe(weight, 'How much it counts, 1 to 100.'),
        podAffinityTerm: describe(podAffinityTerm, 'Term that should hold.'),
      }),
    ),
    'Terms that should hold, with weights.',
  ),
});

const nodeAffinity = z.object({
  requiredDuringSchedulingIgnoredDuringExecution: optional(
    z
      .object({ nodeSelectorTerms: describe(list(nodeSelectorTerm).min(1), 'Terms, at least one of which must hold.') })
      .meta({ 'x-kubernetes-map-type': 'atomic' }),
    'What a host must have.',
  ),
  preferredDuringSchedulingIgnoredDuringExecution: optional(
    list(
      z.object({
        weight: describe(weight, 'How much it counts, 1 to 100.'),
        preference: describe(nodeSelectorTerm, 'Term that should hold.'),
      }),
    ),
    'What a host should have, with weights.',
  ),
});

const affinity = z.object({
  nodeAffinity: optional(nodeAffinity, 'Rules about hosts.'),
  podAffinity: optional(podAffinity, 'Places to share with certain other Pods.'),
  podAntiAffinity: optional(podAffinity, 'Places not to share with certain other Pods.'),
});

const toleration = z.object({
  key: optional(text(MAX.name + 64), 'Taint key; unset with operator Exists tolerates every taint.'),
  operator: optional(z.enum(['Exists', 'Equal']), 'Default Equal.'),
  value: optional(text(MAX.labelValue), 'Taint value for Equal.'),
  effect: optional(z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']), 'Unset matches every effect.'),
  tolerationSeconds: optional(integer(int64), 'Seconds for which a NoExecute taint is tolerated; unset = forever.'),
});

const spreadConstraint = z.object({
  maxSkew: describe(integer({ min: 1, max: 1000 }), 'Largest difference between two places in their number of Pods.'),
  topologyKey: describe(
    text(MAX.name + 64, 1),
    'Host label that divides hosts into places: those with the same value are one place.',
  ),
  whenUnsatisfiable: describe(
    z.enum(['DoNotSchedule', 'ScheduleAnyway']),
    'What to do with a Pod when this cannot be met.',
  ),
  labelSelector: optional(labelSelector, 'Pods that are counted; if unset, those of the cluster.'),
  minDomains: optional(integer({ min: 1, max: 1000 }), 'Smallest number of places to spread over.'),
  nodeAffinityPolicy: optional(z.enum(['Honor', 'Ignore']), 'Whether node affinity limits which places count.'),
  nodeTaintsPolicy: optional(z.enum(['Honor', 'Ignore']), 'Whether taints limit which places count.'),
  matchLabelKeys: optional(texts(), 'Pod label keys whose values limit which Pods are counted.'),
});

/** Fields of MarekvsCluster.spec and, stamped, of MarekvsNode.spec.template.scheduling. */
export const schedulingFields = {
  nodeSelector: optional(textMap(MAX.mapEntries, MAX.labelValue), 'Labels a host must have. Default none.'),
  tolerations: optional(list(toleration), 'Taints the Pods tolerate. Default none.'),
  hostnameSpreadWhenUnsatisfiable: optional(
    z.enum(ENUM_VALUES.hostnameSpreadWhenUnsatisfiable),
    'What to do when the Pods cannot be spread evenly over hosts. DoNotSchedule also sets nodeTaintsPolicy: Honor. ' +
      'Default ScheduleAnyway.',
    { default: DEFAULTS.hostnameSpreadWhenUnsatisfiable },
  ),
  affinity: optional(affinity, 'Kubernetes affinity of the Pods. Default none.'),
  topologySpreadConstraints: optional(
    list(spreadConstraint),
    'Spread constraints in addition to the one over hosts. Default none.',
  ),
  priorityClassName: optional(
    text(MAX.name, 1),
    'PriorityClass of the Pods. Default: the global default of Kubernetes.',
  ),
};
