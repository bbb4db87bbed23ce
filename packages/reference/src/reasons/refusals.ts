// The reasons of what the API server refuses, and of other programs that work against the operator.

import { DESCRIBE_CLUSTER, DESCRIBE_NODE, guide, READ_OPERATOR_LOG } from './entry.ts';

const TRIES_AGAIN = 'It tries again, at growing intervals of at most 30 s. What exists goes on as it is.';

export const REFUSALS = {
  QuotaExceeded: guide(
    TRIES_AGAIN,
    'Room in the quota the message names.',
    'kubectl describe resourcequota -n <namespace>',
  ),
  ForbiddenByPolicy: guide(
    TRIES_AGAIN,
    'A spec that the policy allows, or a policy that allows the object.',
    DESCRIBE_NODE,
    'kubectl get validatingadmissionpolicies,validatingwebhookconfigurations',
  ),
  Unauthorized: guide(
    'It does everything else, and tries this again.',
    'The permissions of this version of the operator. In a namespace of its own the operator needs config/components/namespace-role there.',
    'kubectl apply -k config/components/cluster-role',
    'kubectl auth can-i <verb> <resource> -n <namespace> --as=system:serviceaccount:marekvs-system:marekvs-operator',
  ),
  RequestInvalid: guide(
    TRIES_AGAIN,
    'The field of the spec that the message names, corrected. When it names none, our object is at fault: report it.',
    DESCRIBE_CLUSTER,
  ),
  NamespaceTerminating: guide(
    'It creates nothing any more and lets its objects go.',
    'Nothing. The namespace is going.',
    'kubectl get namespace <namespace>',
  ),
  ApiUnavailable: guide(
    'It tries again. The members need neither the operator nor the API server to serve.',
    'The webhook or the API server that answers again.',
    'kubectl get mutatingwebhookconfigurations,validatingwebhookconfigurations',
    'kubectl get --raw /readyz?verbose',
  ),
  StorageBackendFull: guide(
    'It tries again, and a running operation pauses where it is: every step can be taken up again.',
    'Space in etcd: compaction, defragmentation, and its alarm cleared.',
    'kubectl get --raw /readyz?verbose',
  ),
  DriftLoop: guide(
    'It changes the object back at growing intervals of at most five minutes instead of at once, so that two programs do not fight over it.',
    'The program that edits the object: its name is in managedFields.',
    'kubectl get <kind> <name> -n <namespace> -o yaml --show-managed-fields',
    READ_OPERATOR_LOG,
  ),
} as const;
