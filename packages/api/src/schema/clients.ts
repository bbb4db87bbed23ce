// Who may connect to the members' client port: peers of a NetworkPolicy, bounded and with rules for what the API server
// would refuse in the policy, so that a mistake is refused when the cluster is applied.

import { z } from 'zod';
import { IPV4_NETWORK_PATTERN, LABEL_KEY_PATTERN, LABEL_VALUE_PATTERN, MAX } from '../rules/limits.ts';
import { MESSAGES } from '../rules/messages.ts';
import { type CelRule, describe, list, optional, text, textMap } from './field.ts';

const isKey = (key: string) => `${key}.matches('${LABEL_KEY_PATTERN}')`;
const isValue = (value: string) => `${value}.matches('${LABEL_VALUE_PATTERN}')`;

const labels: CelRule = {
  rule: `!has(self.matchLabels) || self.matchLabels.all(key, ${isKey('key')} && ${isValue('self.matchLabels[key]')})`,
  message: MESSAGES.peerLabels,
  fieldPath: '.matchLabels',
};

const requirementValues: CelRule = {
  rule:
    `${isKey('self.key')} && (self.operator in ['In', 'NotIn'] ? ` +
    `has(self.values) && size(self.values) > 0 && self.values.all(value, ${isValue('value')}) : ` +
    '!has(self.values) || size(self.values) == 0)',
  message: MESSAGES.peerRequirement,
};

const selector = (what: string) =>
  optional(
    z.object({
      matchLabels: optional(
        textMap(MAX.peers, MAX.labelValue),
        'Labels that must have exactly these values. Default none.',
      ),
      matchExpressions: optional(
        list(
          describe(
            z.object({
              key: describe(text(MAX.name + 64, 1), 'Key of the label.'),
              operator: describe(
                z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist']),
                'How the key relates to the values.',
              ),
              values: optional(list(text(MAX.labelValue), MAX.peers), 'Values for In and NotIn, at least one.'),
            }),
            'A requirement on labels.',
            { rules: [requirementValues] },
          ),
          MAX.peers,
        ),
        'Requirements on labels, all of which must hold. Default none.',
      ),
    }),
    what,
    { rules: [labels], 'x-kubernetes-map-type': 'atomic' },
  );

// CEL of Kubernetes 1.30, the oldest supported version, knows no networks, so an address is computed as a number.
const SIZES = `[${Array.from({ length: 33 }, (_, prefix) => 2 ** (32 - prefix)).join(', ')}]`;
const sizeOf = (network: string) => `${SIZES}[int(${network}.split('/')[1])]`;
const octetOf = (network: string, index: number) => `int(${network}.split('/')[0].split('.')[${index}])`;
const addressOf = (network: string) =>
  `(((${octetOf(network, 0)} * 256 + ${octetOf(network, 1)}) * 256 + ${octetOf(network, 2)}) * 256 + ${octetOf(network, 3)})`;
const isNetwork = (network: string) =>
  `${network}.matches('${IPV4_NETWORK_PATTERN}') && ${addressOf(network)} % ${sizeOf(network)} == 0`;
const isPart = (part: string, whole: string) =>
  `${sizeOf(part)} < ${sizeOf(whole)} && ${addressOf(part)} / ${sizeOf(whole)} == ${addressOf(whole)} / ${sizeOf(whole)}`;

const ipBlock = describe(
  z.object({
    cidr: describe(text(MAX.ipv4Network, 1), 'IPv4 network, such as 10.1.0.0/16.', {
      rules: [{ rule: isNetwork('self'), message: MESSAGES.peerNetwork }],
    }),
    except: optional(
      list(text(MAX.ipv4Network, 1), MAX.peers),
      'Networks inside it that are not admitted. Default none.',
    ),
  }),
  'Addresses outside the Pod network: clients on hosts, or behind a load balancer that keeps their addresses. Not together ' +
    'with selectors.',
  {
    rules: [
      {
        rule: `!has(self.except) || self.except.all(part, ${isNetwork('part')} && ${isPart('part', 'self.cidr')})`,
        message: MESSAGES.peerExcept,
        fieldPath: '.except',
      },
    ],
  },
);

const peer = describe(
  z.object({
    podSelector: selector(
      'Pods by label: of the selected namespaces, or without namespaceSelector of the cluster’s own. Default all of them.',
    ),
    namespaceSelector: selector('Namespaces by label; {} is every namespace.'),
    ipBlock: ipBlock.optional(),
  }),
  'Clients that are admitted.',
  {
    rules: [
      {
        rule: 'has(self.ipBlock) ? !has(self.podSelector) && !has(self.namespaceSelector) : has(self.podSelector) || has(self.namespaceSelector)',
        message: MESSAGES.peer,
      },
    ],
  },
);

export const clients = describe(
  z.object({
    from: optional(
      list(peer, MAX.peers),
      'Clients outside the namespace of the cluster that may connect, as in a NetworkPolicy; the Pods of that namespace always ' +
        'may. [] admits nobody else. A change restarts nothing. Default unset: everybody may connect.',
    ),
  }),
  'Who may connect to the members as a client (RESP, port 6379), where the network enforces NetworkPolicies.',
);
