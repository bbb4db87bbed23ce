// The reasons of what the API server refuses, and of other programs that work against the operator.

import { DESCRIBE_CLUSTER, DESCRIBE_NODE, guide, READ_OPERATOR_LOG } from './entry.ts';

const TRIES_AGAIN = 'It retries at growing intervals of at most 30 s. What exists stays as it is.';

export const REFUSALS = {
  QuotaExceeded: guide(
    TRIES_AGAIN,
    'Room in the quota named in the message.',
    'kubectl describe resourcequota -n <namespace>',
  ),
  ForbiddenByPolicy: guide(
    TRIES_AGAIN,
    'A spec that the policy allows, or a policy that allows the object.',
    DESCRIBE_NODE,
    'kubectl get validatingadmissionpolicies,validatingwebhookconfigurations',
  ),
  Unauthorized: guide(
    'It does everything else, and retries this.',
    'The permissions of this version of the operator. An operator that is limited to certain namespaces needs config/components/namespace-role in each of them.',
    'kubectl apply -k config/components/cluster-role',
    'kubectl auth can-i <verb> <resource> -n <namespace> --as=system:serviceaccount:marekvs-system:marekvs-operator',
  ),
  RequestInvalid: guide(
    TRIES_AGAIN,
    'Correct the field of the spec that the message names. If it names none, the fault is ours: please report it.',
    DESCRIBE_CLUSTER,
  ),
  NamespaceTerminating: guide(
    'It creates nothing more and lets its objects go.',
    'Nothing. The namespace is being deleted.',
    'kubectl get namespace <namespace>',
  ),
  ApiUnavailable: guide(
    'It retries. The members need neither the operator nor the API server to serve.',
    'The webhook or the API server answers again.',
    'kubectl get mutatingwebhookconfigurations,validatingwebhookconfigurations',
    'kubectl get --raw /readyz?verbose',
  ),
  StorageBackendFull: guide(
    'It retries, and a running operation pauses where it is: every step can be resumed.',
    'Free space in etcd: compact and defragment it, and clear its alarm.',
    'kubectl get --raw /readyz?verbose',
  ),
  DriftLoop: guide(
    'It changes the object back at growing intervals of at most five minutes instead of at once, so that the two programs do not fight over it.',
    'Stop the other program from editing the object; its name is in managedFields.',
    'kubectl get <kind> <name> -n <namespace> -o yaml --show-managed-fields',
    READ_OPERATOR_LOG,
  ),
} as const;
