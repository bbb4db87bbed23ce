// The process that reads the kubeconfig for kube-config.ts and ends: the memory of @kubernetes/client-node goes with
// it. argv[2]: a ReadRequest as JSON. stdout: `{ok}` or `{error}` as JSON.
import { enableCompileCache } from 'node:module';
import { readKubeConfig } from './kube-config-read.ts';

// Most of this process's life is compiling client-node. Where nothing can be written the cache stays off by itself.
enableCompileCache();

const answer = await readKubeConfig(JSON.parse(process.argv[2] ?? '{}')).then(
  (ok) => ({ ok }),
  (error: unknown) => ({ error: error instanceof Error ? error.message : String(error) }),
);
process.stdout.write(JSON.stringify(answer));
