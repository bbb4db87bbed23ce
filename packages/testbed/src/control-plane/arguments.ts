// The arguments of etcd, kube-apiserver and kube-controller-manager. Nothing is started here.
import type { CertificateFiles } from './users.ts';

export function etcdArguments(o: {
  readonly dataFolder: string;
  readonly clientPort: number;
  readonly peerPort: number;
}): string[] {
  const client = `http://127.0.0.1:${o.clientPort}`;
  const peer = `http://127.0.0.1:${o.peerPort}`;
  return [
    `--data-dir=${o.dataFolder}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
    // The data is worthless after the run; waiting for the disk is most of a write's time.
    '--unsafe-no-fsync',
    // A single member needs no frequent heartbeats, which are a third of what an idle etcd costs. The second value is
    // ten times the first.
    '--heartbeat-interval=500',
    '--election-timeout=5000',
    '--log-level=warn',
  ];
}

export interface ApiServerSettings {
  readonly port: number;
  readonly etcdPort: number;
  readonly certFolder: string;
  readonly certificates: CertificateFiles;
  readonly auditPolicyPath: string;
  readonly auditLogPath: string;
}

export function apiServerArguments(o: ApiServerSettings): string[] {
  return [
    `--etcd-servers=http://127.0.0.1:${o.etcdPort}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    `--secure-port=${o.port}`,
    `--cert-dir=${o.certFolder}`,
    `--tls-cert-file=${o.certificates.servingCert}`,
    `--tls-private-key-file=${o.certificates.servingKey}`,
    `--client-ca-file=${o.certificates.ca}`,
    '--authorization-mode=RBAC',
    // Names of hosts do not resolve here. The kubelet answers only clients with this certificate.
    '--kubelet-preferred-address-types=InternalIP',
    `--kubelet-client-certificate=${o.certificates.kubeletClientCert}`,
    `--kubelet-client-key=${o.certificates.kubeletClientKey}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${o.certificates.serviceAccountPublic}`,
    `--service-account-signing-key-file=${o.certificates.serviceAccountPrivate}`,
    // A /16: a hundred clusters with a client Service each would exhaust the usual /24.
    '--service-cluster-ip-range=10.96.0.0/16',
    // Without it every Pod would need a service account with a token, which only the controller manager makes.
    '--disable-admission-plugins=ServiceAccount',
    // The `kubernetes` Service would point at a loopback address, which is refused and logged every 10 s.
    '--endpoint-reconciler-type=none',
    `--audit-policy-file=${o.auditPolicyPath}`,
    `--audit-log-path=${o.auditLogPath}`,
    '--audit-log-format=json',
    // Never rotated: journeys read the whole file, counted from where they started.
    '--audit-log-maxsize=2048',
    `--watch-cache-sizes=${UNWATCHED.map((kind) => `${kind}#0`).join(',')}`,
    '--profiling=false',
    '--shutdown-delay-duration=0s',
  ];
}

/** Kinds that neither the operator nor a journey watches. Each watch cache costs CPU even when idle, because it wakes
 *  up every second. Without these an idle API server takes a quarter less, 0.0075 of a second in place of 0.0098. */
const UNWATCHED: readonly string[] = [
  'componentstatuses',
  'endpoints',
  'limitranges',
  'podtemplates',
  'replicationcontrollers',
  'mutatingadmissionpolicies.admissionregistration.k8s.io',
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io',
  'mutatingwebhookconfigurations.admissionregistration.k8s.io',
  'validatingwebhookconfigurations.admissionregistration.k8s.io',
  'daemonsets.apps',
  'replicasets.apps',
  'cronjobs.batch',
  'jobs.batch',
  'certificatesigningrequests.certificates.k8s.io',
  'leasecandidates.coordination.k8s.io',
  'endpointslices.discovery.k8s.io',
  'flowschemas.flowcontrol.apiserver.k8s.io',
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io',
  'storageversions.internal.apiserver.k8s.io',
  'ingressclasses.networking.k8s.io',
  'ingresses.networking.k8s.io',
  'ipaddresses.networking.k8s.io',
  'servicecidrs.networking.k8s.io',
  'runtimeclasses.node.k8s.io',
  'deviceclasses.resource.k8s.io',
  'devicetaintrules.resource.k8s.io',
  'resourceclaims.resource.k8s.io',
  'resourceclaimtemplates.resource.k8s.io',
  'resourceslices.resource.k8s.io',
  'priorityclasses.scheduling.k8s.io',
  'csidrivers.storage.k8s.io',
  'csinodes.storage.k8s.io',
  'csistoragecapacities.storage.k8s.io',
  'volumeattachments.storage.k8s.io',
  'volumeattributesclasses.storage.k8s.io',
  'storageversionmigrations.storagemigration.k8s.io',
];

/** Every request of every user but the server's own, once when it ends (a watch also when it starts). */
export const AUDIT_POLICY = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
  - level: None
    users: ["system:apiserver"]
  - level: Metadata
`;

/** What namespaces, owner references, budgets, quotas and volumes need. Left out are the node lifecycle controller (our
 *  Nodes have no heartbeat), the volume binder (the local kubelet binds claims) and endpoint slices (the API server
 *  refuses 127.0.0.0/8 as an endpoint, and the controller would retry for ever). */
export const CONTROLLERS: readonly string[] = [
  'garbage-collector-controller',
  'namespace-controller',
  'disruption-controller',
  'resourcequota-controller',
  'persistentvolumeclaim-protection-controller',
  'statefulset-controller',
  'deployment-controller',
  'replicaset-controller',
  'pod-garbage-collector-controller',
  'clusterrole-aggregation-controller',
];

/** @param podAutoscalerSyncSeconds how often each HorizontalPodAutoscaler is reconciled; undefined: never */
export function controllerManagerArguments(kubeconfigPath: string, podAutoscalerSyncSeconds?: number): string[] {
  const isAutoscaling = podAutoscalerSyncSeconds !== undefined;
  const controllers = isAutoscaling ? [...CONTROLLERS, 'horizontal-pod-autoscaler-controller'] : CONTROLLERS;
  return [
    `--kubeconfig=${kubeconfigPath}`,
    `--controllers=${controllers.join(',')}`,
    ...(isAutoscaling ? [`--horizontal-pod-autoscaler-sync-period=${podAutoscalerSyncSeconds}s`] : []),
    '--use-service-account-credentials=false',
    '--leader-elect=false',
    '--bind-address=127.0.0.1',
    '--secure-port=0',
    '--kube-api-qps=200',
    '--kube-api-burst=400',
    '--concurrent-gc-syncs=5',
    '--concurrent-namespace-syncs=4',
    '--resource-quota-sync-period=30s',
    '--profiling=false',
  ];
}
