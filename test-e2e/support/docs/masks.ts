// Masks what differs from run to run without a meaning, each as narrowly as possible, since everything else in an
// output is compared. Pure.

interface Mask {
  readonly pattern: RegExp;
  readonly shown: string;
}

const AGE = String.raw`\d+(?:y|d|h|m|s)(?:\d+(?:d|h|m|s))?`;

const MASKS: readonly Mask[] = [
  { pattern: /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, shown: '<time>' },
  { pattern: /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, shown: '<uid>' },
  // The identity of a cluster ends with the beginning of its UID: default.demo.e11ef4ea.
  { pattern: /\b([a-z0-9-]+\.[a-z0-9-]+)\.[0-9a-f]{8}\b/g, shown: '$1.<uid>' },
  // Pods of a testbed have loopback addresses; Services have addresses of the API server's range.
  { pattern: /\b(?:127|10)\.\d{1,3}\.\d{1,3}\.\d{1,3}(?::\d+)?\b/g, shown: '<address>' },
  // A Pod of a Deployment: marekvs-operator-5d8f7c9b6d-x2v9k.
  { pattern: /-[0-9a-f]{8,10}-[a-z0-9]{5}\b/g, shown: '-<pod>' },
  { pattern: /\bresourceVersion: "\d+"/g, shown: 'resourceVersion: <version>' },
  // The cell of a table that is an age, also `2m (x3 over 5m)` of events, and an age with its word before it.
  { pattern: new RegExp(`(^| {2,})${AGE}(?: \\(x\\d+ over ${AGE}\\))?(?= {2,}|$)`, 'g'), shown: '$1<age>' },
  { pattern: new RegExp(`\\b(age|for|since|after|in|took) ${AGE}\\b`, 'g'), shown: '$1 <age>' },
  { pattern: new RegExp(`\\b${AGE} ago\\b`, 'g'), shown: '<age> ago' },
  { pattern: new RegExp(`\\(${AGE}\\)`, 'g'), shown: '(<age>)' },
  // `for 12 s`, `took 1.5 s`: what was measured; a limit reads `limit 60 s` and is compared.
  { pattern: /\b(for|since|after|took|within the last) \d+(?:\.\d+)? (?:ms|s|min)\b/g, shown: '$1 <duration>' },
  { pattern: /\b\d+(?:\.\d+)? s ago\b/g, shown: '<duration> ago' },
  // A member that was not heard for a moment takes a removal back from Proving to Isolating, and forward again.
  {
    pattern: new RegExp(`(?:Isolating ${AGE} > Proving ${AGE} > )+`, 'g'),
    shown: 'Isolating <age> > Proving <age> > ',
  },
  // How long each phase of a removal has lasted: `Claimed 1s > [Isolating 3s] > Proving`; and what it
  // has waited for: `waits 12s: …`.
  { pattern: new RegExp(`\\b([A-Z][a-z]+ing|Claimed|waits) ${AGE}(?=\\b)`, 'g'), shown: '$1 <age>' },
  // Names with a random part, such as that of an operation.
  { pattern: /\b(operation \d+-)[a-z0-9]{8}\b/g, shown: '$1<drawn>' },
  // A revision: the hash of a template, which has the identity of its cluster in it.
  { pattern: /\b[0-9a-f]{16}\b/g, shown: '<revision>' },
  { pattern: /\b(topology )[0-9a-f]{12}\b/g, shown: '$1<hash>' },
  // How many records clients had written, and how far a comparison was, at that moment.
  { pattern: /\babout \d[\d,]*(?: records\b)?/g, shown: 'about <n>' },
  { pattern: /(?:\[[#-]+\] +\d+ % +)?\b\d[\d,]* of (\d[\d,]* partitions compared)/g, shown: '<n> of $1' },
  // The scheduler chooses the host of a Pod.
  { pattern: /\bhost-\d\b/g, shown: '<host>' },
  // Commands per second, in `status` and in a row of `kubectl get mkv`; empty until every member has answered twice. In
  // the row, DATA, PHASE and perhaps BLOCKED follow.
  { pattern: /(?:\b\d+|(?<= )-) ops\/s/g, shown: '<n> ops/s' },
  { pattern: /^((?:[a-z]\S* +){1,2}\d+ +\d+ +\d+ +)(?:\d+ +)?(?=[A-Z]\w+(?: +[A-Z]\w+){0,2}$)/, shown: '$1<n>  ' },
];

/** The line with names instead of all that may differ, and with two spaces between columns. */
export function masked(line: string): string {
  const text = MASKS.reduce((left, { pattern, shown }) => left.replace(pattern, shown), line.trimEnd());
  return text.replace(/ {2,}/g, '  ');
}
