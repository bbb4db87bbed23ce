// The reasons for something not being known. Unknown never counts as good: nothing is removed or resized because of it.

import { DESCRIBE_CLUSTER, DESCRIBE_POD, guide, LIST_NODES, READ_LOG, READ_OPERATOR_LOG } from './entry.ts';

export const UNKNOWN = {
  NotObserved: guide(
    'It queries the members named in the message. After a restart it keeps the last status until the first answers are there, so that it does not overwrite what was known.',
    'The first answer, within seconds. If it persists, the operator does not get round to it: read its log.',
    READ_OPERATOR_LOG,
  ),
  MemberSilent: guide(
    'It keeps asking, and assumes nothing about this member: no removal begins, none is proven, and a running one waits. The other members serve on.',
    'An answer from the member on ports 9121 and 6379. A Pod that ended is recreated automatically; one that runs but is silent usually hangs, has a sick host, or is cut off by a NetworkPolicy.',
    DESCRIBE_POD,
    READ_LOG,
    'kubectl get networkpolicy -n <namespace>',
  ),
  MemberAnswerInvalid: guide(
    'It treats the member as silent: what is not a marekvs answer proves nothing.',
    'A marekvs server of a supported version on the ports of the Pod.',
    DESCRIBE_POD,
    "kubectl get mkv <cluster> -n <namespace> -o jsonpath='{.spec.image}'",
  ),
  ViewsDisagree: guide(
    'It queries the members more often, and does nothing that depends on the membership: no removal, no replacement. Pods that ended are still recreated.',
    'The same list on every member, usually seconds after the last change. If it persists, members cannot reach each other on UDP 7946 or TCP 7373.',
    LIST_NODES,
    'kubectl get networkpolicy -n <namespace>',
  ),
  NotCompared: guide(
    'It compares the members’ contents once they agree, and once a day at rest. Until the comparison, but for at most two minutes, it allows no disruption.',
    'The end of the comparison, seconds after the members agree.',
    'kubectl mkv verify <cluster> -n <namespace>',
    DESCRIBE_CLUSTER,
  ),
  ComparingContents: guide(
    'It asks every member for the digests of its records and, where they differ, for the records themselves.',
    'The end of the comparison. It waits its turn while other clusters are compared, removals first.',
    'kubectl mkv verify <cluster> -n <namespace>',
  ),
} as const;
