// What is done when a host (Kubernetes Node) of a member is lost or drained.

import { z } from 'zod';
import { DEFAULTS, LABEL_VALUE_PATTERN, MAX } from '../rules/limits.ts';
import { MESSAGES } from '../rules/messages.ts';
import { describe, optional, setting, textMap } from './field.ts';

const onePerHost = describe(
  z.object({
    nodeSelector: describe(
      textMap(MAX.mapEntries, MAX.labelValue),
      'Labels of the hosts, at least one, in addition to those of spec.nodeSelector. Required.',
      {
        rules: [
          { rule: 'size(self) > 0', message: MESSAGES.onePerHostSelector },
          {
            rule: `self.all(key, self[key].matches('${LABEL_VALUE_PATTERN}'))`,
            message: MESSAGES.onePerHostLabels,
          },
        ],
      },
    ),
    minNodes: setting(
      'hosts.onePerHost.minNodes',
      'Smallest number of nodes, even with fewer hosts. Default replicationFactor + 1, and never below that.',
    ),
    maxNodes: setting('hosts.onePerHost.maxNodes', 'Largest number of nodes, even with more hosts. Default 1000.'),
  }),
  'Run one member on every host with these labels. The cluster grows at once with the number of hosts, and shrinks by one proven ' +
    'removal at a time. While this is set, spec.nodes cannot be edited and autoscale cannot be set. Default unset: fixed size.',
  {
    rules: [
      {
        rule: '!has(self.minNodes) || !has(self.maxNodes) || self.minNodes <= self.maxNodes',
        message: MESSAGES.onePerHostMinMax,
        fieldPath: '.minNodes',
      },
    ],
  },
);

export const hosts = describe(
  z.object({
    lostAfterSeconds: setting(
      'hosts.lostAfterSeconds',
      'Seconds after which a host that is not ready counts as lost, and a member whose volume cannot be used on another host is ' +
        'replaced by a new one; 0 = never by itself. Default 600.',
    ),
    moveOnDrain: optional(
      z.boolean(),
      'Move members off a host that is cordoned or has a taint listed in --drain-taints, one at a time and before they are ' +
        'evicted, if their volumes can be used on another host. Default true.',
      { default: DEFAULTS.hosts.moveOnDrain },
    ),
    replaceOnDrain: optional(
      z.boolean(),
      'Replace members on such a host whose volumes cannot be used on another one, one at a time: a new member joins, contents ' +
        'are compared, and the old one is removed with proof. Evictions are refused while this is set. Needs moveOnDrain. Default false.',
      { default: DEFAULTS.hosts.replaceOnDrain },
    ),
    onePerHost: onePerHost.optional(),
  }),
  'What to do about hosts (Kubernetes Nodes) that are lost or being drained. Needs the permissions of config/components/hosts.',
  {
    rules: [
      {
        rule: '!has(self.replaceOnDrain) || !self.replaceOnDrain || !has(self.moveOnDrain) || self.moveOnDrain',
        message: MESSAGES.replaceNeedsMove,
        fieldPath: '.replaceOnDrain',
      },
    ],
  },
);
