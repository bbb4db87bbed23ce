// Peers of spec.clients.from that are accepted or refused; part of the table of objects.

interface ClientCase {
  readonly title: string;
  readonly from: unknown;
  /** The field that the refusal names, below `spec.clients.from`; undefined: it is accepted. */
  readonly field?: string;
  readonly message?: RegExp;
  readonly strict?: true;
}

const labels = (...entries: readonly (readonly [string, string])[]) => ({ matchLabels: Object.fromEntries(entries) });
const expression = (operator: string, values?: readonly string[], key = 'team') => ({
  matchExpressions: [{ key, operator, ...(values === undefined ? {} : { values }) }],
});
const block = (cidr: string, ...except: readonly string[]) => [{ ipBlock: { cidr, except } }];

const PEER = '[0]';
const LABELS = '[0].podSelector.matchLabels';
const REQUIREMENT = '[0].podSelector.matchExpressions[0]';
const CIDR = '[0].ipBlock.cidr';
const EXCEPT = '[0].ipBlock.except';
const IS_NETWORK = /10\.1\.0\.0\/16/;
const IS_PART = /inside ipBlock\.cidr/;

export const CLIENT_CASES: readonly ClientCase[] = [
  { title: 'no clients outside the namespace', from: [] },
  { title: 'clients from every namespace', from: [{ namespaceSelector: {} }] },
  {
    title: 'clients by labels of Pods and namespaces',
    from: [
      { namespaceSelector: labels(['kubernetes.io/metadata.name', 'shop']), podSelector: labels(['app', 'web']) },
      { podSelector: expression('In', ['web', 'batch']) },
      { namespaceSelector: expression('Exists', undefined, 'example.com/team') },
    ],
  },
  { title: 'clients with an empty label', from: [{ podSelector: labels(['app', '']) }] },
  { title: 'clients with an empty list of values beside Exists', from: [{ podSelector: expression('Exists', []) }] },
  { title: 'every address', from: block('0.0.0.0/0', '10.0.0.0/8', '192.168.0.0/16') },
  { title: 'one address', from: block('203.0.113.7/32') },
  { title: 'both halves of a network as exceptions', from: block('10.0.0.0/8', '10.0.0.0/9', '10.128.0.0/9') },
  { title: 'as many peers as allowed', from: Array.from({ length: 16 }, () => ({ podSelector: {} })) },
  {
    title: 'more peers than allowed',
    from: Array.from({ length: 17 }, () => ({ podSelector: {} })),
    field: '',
    message: /16/,
  },
  { title: 'a peer that is nobody', from: [{}], field: PEER, message: /podSelector, namespaceSelector or both/ },
  {
    title: 'a peer with addresses and labels',
    from: [{ podSelector: {}, ipBlock: { cidr: '10.0.0.0/8' } }],
    field: PEER,
    message: /ipBlock alone/,
  },
  {
    title: 'a peer with a field that no NetworkPolicy has',
    from: [{ podSelector: {}, services: {} }],
    field: '[0].services',
    message: /unknown field/,
    strict: true,
  },
  {
    title: 'a label key with a blank',
    from: [{ podSelector: labels(['my app', 'web']) }],
    field: LABELS,
    message: /keys/,
  },
  {
    title: 'a label key of 64 characters',
    from: [{ podSelector: labels(['a'.repeat(64), 'web']) }],
    field: LABELS,
    message: /keys/,
  },
  {
    title: 'a label value with a blank',
    from: [{ podSelector: labels(['app', 'a b']) }],
    field: LABELS,
    message: /values/,
  },
  {
    title: 'In without values',
    from: [{ podSelector: expression('In', []) }],
    field: REQUIREMENT,
    message: /for In and NotIn/,
  },
  { title: 'NotIn without a list', from: [{ podSelector: expression('NotIn') }], field: REQUIREMENT, message: /NotIn/ },
  {
    title: 'Exists with a value',
    from: [{ podSelector: expression('Exists', ['web']) }],
    field: REQUIREMENT,
    message: /no values for Exists/,
  },
  {
    title: 'an operator that labels do not have',
    from: [{ podSelector: expression('Gt', ['1']) }],
    field: `${REQUIREMENT}.operator`,
    message: /NotIn|allowed values/,
  },
  { title: 'a host name as a network', from: block('shop.example.com'), field: CIDR, message: IS_NETWORK },
  { title: 'an address without a prefix', from: block('10.0.0.1'), field: CIDR, message: IS_NETWORK },
  { title: 'an octet above 255', from: block('10.256.0.0/16'), field: CIDR, message: IS_NETWORK },
  { title: 'a prefix above 32', from: block('10.0.0.0/33'), field: CIDR, message: IS_NETWORK },
  { title: 'an octet with a leading zero', from: block('10.01.0.0/16'), field: CIDR, message: IS_NETWORK },
  { title: 'a network with host bits', from: block('10.0.0.1/24'), field: CIDR, message: IS_NETWORK },
  { title: 'an IPv6 network, since members have none', from: block('fd00::/8'), field: CIDR, message: IS_NETWORK },
  { title: 'a block without a network', from: [{ ipBlock: {} }], field: CIDR, message: /required|10\.1/i },
  { title: 'an exception elsewhere', from: block('10.0.0.0/8', '11.0.0.0/16'), field: EXCEPT, message: IS_PART },
  { title: 'an exception of everything', from: block('10.0.0.0/8', '10.0.0.0/8'), field: EXCEPT, message: IS_PART },
  { title: 'a larger exception', from: block('10.0.0.0/8', '0.0.0.0/0'), field: EXCEPT, message: IS_PART },
  { title: 'an exception that is no network', from: block('10.0.0.0/8', '10.1'), field: EXCEPT, message: IS_PART },
];
