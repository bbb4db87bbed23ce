// The Kubernetes cluster around a campaign of fields: the existing Secrets and priority classes, and what a real API
// server refuses about a Pod beyond its schema, with its messages. Our own kinds are checked by admission.ts.

import { type ApiInput, ApiRefusal } from '@marekvs/simulator';
import type { MemberWorld } from '../world/member-world.ts';
import { type PodShape, podProblems } from './pod-rules.ts';

const SECRETS = ['one', 'two', 'pull', 'pull-too'];
/** The only priority classes. */
export const PRIORITY_CLASSES = ['high', 'low'];

export function surround({ kube: { server } }: MemberWorld): void {
  const data = { password: base64('first'), second: base64('second') };
  for (const name of SECRETS) {
    const secret = { metadata: { name, namespace: 'default' }, data };
    server.create('secrets', secret);
  }
  server.admit = (resource, input) => {
    const refusal = resource === 'pods' ? podRefusal(input) : undefined;
    if (refusal !== undefined) throw refusal;
  };
}

/** What a real API server with these surroundings answers to a Pod; undefined when it accepts it. */
export function podRefusal({ metadata, spec }: ApiInput): ApiRefusal | undefined {
  const name = metadata?.name ?? '';
  // The operator sends well-formed Pods.
  const shape = { ...spec, labels: metadata?.labels ?? {}, annotations: metadata?.annotations ?? {} } as PodShape;
  const { priorityClassName: priority } = shape;
  if (priority !== undefined && !PRIORITY_CLASSES.includes(priority)) {
    const message = `pods "${name}" is forbidden: no PriorityClass with name ${priority} was found`;
    return new ApiRefusal(403, 'Forbidden', message);
  }
  const problems = podProblems(shape);
  if (problems.length === 0) return undefined;
  const causes = problems.map((message) => ({
    reason: 'FieldValueInvalid',
    message,
    field: message.split(':')[0] ?? '',
  }));
  return new ApiRefusal(422, 'Invalid', `Pod "${name}" is invalid: ${problems.join(', ')}`, causes);
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
