// The reasons for something not being known. Unknown never counts as good: nothing is removed or resized because of it.

import { DESCRIBE_CLUSTER, DESCRIBE_POD, guide, LIST_NODES, READ_LOG, READ_OPERATOR_LOG } from './entry.ts';

export const UNKNOWN = {
  NotObserved: guide(
    'It asks the members named. After a restart it keeps the last status until the first answers are there, so that ignorance does not overwrite what was known.',
    'The first answer, within seconds. When it stays, the operator does not get to look: read its log.',
    READ_OPERATOR_LOG,
  ),
  MemberSilent: guide(
    'It goes on asking, and counts nothing of this member: no removal begins, none is proven, and a running one waits. The other members serve on.',
    'An answer of the member on port 9121 and 6379. A Pod that ended is recreated by itself; one that runs and is silent usually hangs, has a sick host, or is cut off by a NetworkPolicy.',
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
    'It asks more often and changes nothing that rests on the membership: no removal, no replacement. Pods that ended are still brought back.',
    'The same list on every member, usually seconds after the last change. When it stays, members cannot reach each other on UDP 7946 or TCP 7373.',
    LIST_NODES,
    'kubectl get networkpolicy -n <namespace>',
  ),
  NotCompared: guide(
    'It compares the members’ contents once they agree, and once a day at rest. Until then it allows no disruption for two minutes at most.',
    'The end of the comparison, seconds after the members agree.',
    'kubectl mkv verify <cluster> -n <namespace>',
    DESCRIBE_CLUSTER,
  ),
  ComparingContents: guide(
    'It asks every member for the digests of its records, and where they differ for the records themselves.',
    'The end of the comparison. It waits for its turn while other clusters are compared, removals first.',
    'kubectl mkv verify <cluster> -n <namespace>',
  ),
} as const;
