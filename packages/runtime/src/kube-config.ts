// How to reach the API server: from a kubeconfig or from inside a Pod. @kubernetes/client-node does the reading; nothing of it is on a hot path.
import type { CredentialSource } from './credentials.ts';

export interface ClusterAccess {
  readonly server: URL;
  /** PEM of the certificate authority; undefined = the system's. */
  readonly ca?: string | Buffer | undefined;
  readonly tlsServerName?: string | undefined;
  /** Do not verify the server's certificate: only when the kubeconfig says so. */
  readonly skipTlsVerify?: boolean | undefined;
  readonly credentials: CredentialSource;
  /** The namespace of the context or of the Pod; `default` when there is none. */
  readonly namespace: string;
  /** For humans, without secrets: `kubeconfig /home/x/.kube/config, context kind`. */
  readonly describe: string;
}

export interface ClusterAccessOptions {
  /** Path of a kubeconfig. Without it: $KUBECONFIG, then the Pod's service account, then ~/.kube/config. */
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly env?: NodeJS.ProcessEnv | undefined;
}

/** @throws ConfigError when there is no configuration or it cannot be used; the message is one clear line */
export function loadClusterAccess(_opts: ClusterAccessOptions): Promise<ClusterAccess> {
  throw new Error('not yet');
}
