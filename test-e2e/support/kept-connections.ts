// client-node makes another agent, and therefore another TLS handshake, for every request. No journey depends on that,
// and it was a tenth of the cost of a journey in this process and in the API server.

import { KubeConfig, type RequestContext } from '@kubernetes/client-node';

/** A kubeconfig whose requests share connections. @throws when the file cannot be read */
export function loadKubeConfig(path: string): KubeConfig {
  const config = new KeptConnections();
  config.loadFromFile(path);
  return config;
}

/** The kubeconfig has one user on one server, so that all agents would be the same. */
class KeptConnections extends KubeConfig {
  #kept: ReturnType<RequestContext['getDispatcher']>;

  override async applySecurityAuthentication(context: RequestContext): Promise<void> {
    await super.applySecurityAuthentication(context);
    this.#kept ??= context.getDispatcher();
    if (this.#kept !== undefined) context.setDispatcher(this.#kept);
  }
}
