// Stands for what is imported and never called: authenticators that our reader of kubeconfigs refuses by
// name, proxies, the generated API.

class Refused {
  isAuthProvider(): boolean {
    return false;
  }
}

export {
  Refused as Agent,
  Refused as AzureAuth,
  Refused as GoogleCloudPlatformAuth,
  Refused as HttpProxyAgent,
  Refused as HttpsProxyAgent,
  Refused as OpenIDConnectAuth,
  Refused as ProxyAgent,
  Refused as ServerConfiguration,
  Refused as SocksClient,
  Refused as SocksProxyAgent,
};
export function createConfiguration(): never {
  throw new Error('requests go through the runtime, not through @kubernetes/client-node');
}
export function setHeaderMiddleware(): never {
  return createConfiguration();
}
