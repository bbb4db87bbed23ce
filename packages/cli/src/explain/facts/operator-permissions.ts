// May the operator's service account do what it needs? Asks the API server, with one review per verb; undefined when
// the user may not ask that.

import { OPERATOR_ACCOUNT } from '@marekvs/api';
import { NEEDS } from '@marekvs/operator/projections';
import { ApiError } from '@marekvs/runtime';
import type { Run } from '../../connection/cli.ts';

interface Review {
  readonly status?: { readonly allowed?: boolean };
}

export async function missingOperatorPermissions(
  run: Run,
  operatorNamespace: string,
  namespace: string,
): Promise<readonly string[] | undefined> {
  const user = `system:serviceaccount:${operatorNamespace}:${OPERATOR_ACCOUNT}`;
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${operatorNamespace}`, 'system:authenticated'];
  const { transport } = await run.connect();
  const isAllowed = async (group: string, path: string, verb: string): Promise<boolean> => {
    const [resource, subresource] = path.split('/', 2);
    const review = await transport.request<Review>({
      verb: 'create',
      path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
      resource: 'subjectaccessreviews.authorization.k8s.io',
      subject: 'subjectaccessreviews',
      body: {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        spec: { user, groups, resourceAttributes: { namespace, verb, group, resource, subresource } },
      },
      signal: run.ports.signal,
    });
    return review.status?.allowed === true;
  };
  try {
    const missing = await Promise.all(
      NEEDS.map(async ({ group, resource, verbs }) => {
        const allowed = await Promise.all(verbs.map((verb) => isAllowed(group, resource, verb)));
        const lacking = verbs.filter((_, index) => allowed[index] === false);
        return lacking.length === 0
          ? []
          : [`${lacking.join(', ')} ${group === '' ? resource : `${resource}.${group}`}`];
      }),
    );
    return missing.flat();
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}
