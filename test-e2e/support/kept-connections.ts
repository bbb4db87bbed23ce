// client-node makes another agent, hence another TLS handshake, for every request. Nothing that a journey asks about
// depends on it, and it was a tenth of what a journey costs this process and as much of the API server.

import { KubeConfig, type RequestContext } from '@kubernetes/client-node';

/** A kubeconfig whose requests share connections. @throws when the file cannot be read */
export function loadKubeConfig(path: string): KubeConfig {
  const config = new KeptConnections();
  config.loadFromFile(path);
  return config;
}

/** It has one user on one server, so that every agent would be the same. */
class KeptConnections extends KubeConfig {
  #kept: ReturnType<RequestContext['getDispatcher']>;

  override async applySecurityAuthentication(context: RequestContext): Promise<void> {
    await super.applySecurityAuthentication(context);
    this.#kept ??= context.getDispatcher();
    if (this.#kept !== undefined) context.setDispatcher(this.#kept);
  }
}
