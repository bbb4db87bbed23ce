// What is done when a host (Kubernetes Node) of a member is lost or drained.

import { z } from 'zod';
import { DEFAULTS, LABEL_VALUE_PATTERN, MAX } from '../limits.ts';
import { MESSAGES } from '../messages.ts';
import { describe, optional, setting, textMap } from './field.ts';

const onePerHost = describe(
  z.object({
    nodeSelector: describe(
      textMap(MAX.mapEntries, MAX.labelValue),
      'Labels of the hosts, at least one, beside those of spec.nodeSelector. Required.',
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
      'Smallest number of nodes, also with fewer hosts. Default replicationFactor + 1, and never below it.',
    ),
    maxNodes: setting('hosts.onePerHost.maxNodes', 'Largest number of nodes, also with more hosts. Default 1000.'),
  }),
  'One member on every host with these labels: the size is their number, followed up at once and down by one proven removal after ' +
    'the other. spec.nodes cannot be edited meanwhile. Not together with autoscale. Default unset: fixed size.',
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
      'Seconds after which a host that is not ready counts as lost, and a member whose volume can be on no other host is ' +
        'replaced by a new one; 0 = never by itself. Default 600.',
    ),
    moveOnDrain: optional(
      z.boolean(),
      'Move members off a host that is cordoned or has a taint of --drain-taints, one at a time and ahead of their eviction, where their ' +
        'volumes can move. Default true.',
      { default: DEFAULTS.hosts.moveOnDrain },
    ),
    replaceOnDrain: optional(
      z.boolean(),
      'Replace members whose volumes can be on no other host than one that is being drained, one at a time: a new member joins, contents ' +
        'are compared, the old one goes by proof. Evictions are refused for as long as this is set. Needs moveOnDrain. Default false.',
      { default: DEFAULTS.hosts.replaceOnDrain },
    ),
    onePerHost: onePerHost.optional(),
  }),
  'What is done about hosts (Kubernetes Nodes) that are lost or being drained. Needs the permissions of config/components/hosts.',
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
