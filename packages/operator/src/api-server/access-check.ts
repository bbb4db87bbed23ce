// Asks the API server once, at start, whether this user may do everything the operator needs, so that a missing
// permission is one clear line and exit 77 instead of a cluster that hangs half-way. One request, whatever the number
// of permissions.

import {
  ApiError,
  type Clock,
  EXIT_CODE,
  ExitError,
  errorText,
  isPassing,
  type Logger,
  type Transport,
} from '@marekvs/runtime';

interface Need {
  readonly group: string;
  readonly resource: string;
  readonly verbs: readonly string[];
}

/** Exactly what the operator does; config/components/cluster-role grants the same (a test compares them). Not included:
 *  Secrets, each granted by its name (`kubectl mkv auth grant`), and `get nodes`, which only the ClusterRole can grant:
 *  without it the operator does not see that a host is being drained, but works all the same. */
export const NEEDS: readonly Need[] = [
  { group: 'marekvs.io', resource: 'marekvsclusters', verbs: ['get', 'list', 'watch'] },
  { group: 'marekvs.io', resource: 'marekvsclusters/status', verbs: ['update'] },
  { group: 'marekvs.io', resource: 'marekvsclusters/finalizers', verbs: ['update'] },
  { group: 'marekvs.io', resource: 'marekvsnodes', verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
  { group: 'marekvs.io', resource: 'marekvsnodes/status', verbs: ['update'] },
  { group: 'marekvs.io', resource: 'marekvsnodes/finalizers', verbs: ['update'] },
  { group: '', resource: 'pods', verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
  { group: '', resource: 'pods/resize', verbs: ['patch'] },
  {
    group: '',
    resource: 'persistentvolumeclaims',
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
  },
  { group: '', resource: 'services', verbs: ['get', 'list', 'watch', 'create', 'patch'] },
  { group: 'apps', resource: 'statefulsets', verbs: ['get'] },
  { group: 'apps', resource: 'controllerrevisions', verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
  { group: 'autoscaling', resource: 'horizontalpodautoscalers', verbs: ['list'] },
  { group: 'policy', resource: 'poddisruptionbudgets', verbs: ['get', 'list', 'watch', 'create', 'patch'] },
  { group: 'networking.k8s.io', resource: 'networkpolicies', verbs: ['get', 'list', 'watch', 'create', 'patch'] },
  { group: 'events.k8s.io', resource: 'events', verbs: ['create'] },
];

interface ResourceRule {
  readonly verbs?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

interface RulesReview {
  readonly status?: { readonly resourceRules?: readonly ResourceRule[]; readonly incomplete?: boolean };
}

export interface AccessCheckOptions {
  readonly transport: Transport;
  readonly namespace: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Longest pause between two attempts to reach an API server that does not answer. */
const MAX_RETRY_MS = 15_000;

/** Checks the permissions in one namespace. Waits for an API server that does not answer.
 *  @throws ExitError 77 that names everything missing; the signal's reason */
export async function checkAccess(options: AccessCheckOptions, signal: AbortSignal): Promise<void> {
  const { clock, logger } = options;
  for (let pauseMs = 1_000; ; pauseMs = Math.min(MAX_RETRY_MS, pauseMs * 2)) {
    try {
      return await checkOnce(options, signal);
    } catch (error) {
      signal.throwIfAborted();
      // An API server that has too much to do (429) answers later.
      const isFinal = error instanceof ApiError && !isPassing(error);
      if (error instanceof ExitError || isFinal) throw error;
      logger.warn('The API server does not answer: trying again, the data plane goes on', {
        why: errorText(error),
        retryInMs: pauseMs,
      });
      await clock.delay(pauseMs, signal);
    }
  }
}

async function checkOnce({ transport, namespace }: AccessCheckOptions, signal: AbortSignal): Promise<void> {
  const missing = await missingIn(namespace, transport, signal);
  if (missing.length === 0) return;
  throw new ExitError(
    EXIT_CODE.forbidden,
    `missing permissions in namespace ${namespace}: ${missing.join('; ')}. Install the RBAC of this version: kubectl apply -k config/overlays/default`,
  );
}

/** The permissions that the operator needs in a namespace and does not have, by one request. @throws what the transport
 *  throws */
export async function missingIn(
  namespace: string,
  transport: Pick<Transport, 'request'>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const review = await transport.request<RulesReview>({
    verb: 'create',
    path: '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
    resource: 'selfsubjectrulesreviews.authorization.k8s.io',
    subject: 'selfsubjectrulesreviews',
    body: { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectRulesReview', spec: { namespace } },
    signal,
  });
  // Some authorizers cannot list their rules: a missing permission then shows at the first refusal.
  if (review.status?.incomplete === true) return [];
  return missingAccess(review.status?.resourceRules ?? []);
}

/** `create, patch pods` for every need the rules do not cover. Pure. */
export function missingAccess(rules: readonly ResourceRule[]): readonly string[] {
  return NEEDS.flatMap(({ group, resource, verbs }) => {
    const missing = verbs.filter((verb) => !rules.some((rule) => covers(rule, group, resource, verb)));
    return missing.length === 0 ? [] : [`${missing.join(', ')} ${group === '' ? resource : `${resource}.${group}`}`];
  });
}

function covers(rule: ResourceRule, group: string, resource: string, verb: string): boolean {
  const has = (list: readonly string[] | undefined, value: string) => list?.includes(value) || list?.includes('*');
  const isNamed = rule.resourceNames !== undefined && rule.resourceNames.length > 0;
  return !isNamed && Boolean(has(rule.apiGroups, group) && has(rule.resources, resource) && has(rule.verbs, verb));
}
