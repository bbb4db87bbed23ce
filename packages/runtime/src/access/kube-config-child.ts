// The child process that reads the kubeconfig for kube-config.ts; its exit frees the memory of @kubernetes/client-node.
// argv[2]: a ReadRequest as JSON. stdout: `{ok}` or `{error}` as JSON.
import { enableCompileCache } from 'node:module';
import { readKubeConfig } from './kube-config-read.ts';

// This process spends most of its time compiling client-node. On a read-only file system the cache stays off by itself.
enableCompileCache();

const answer = await readKubeConfig(JSON.parse(process.argv[2] ?? '{}')).then(
  (ok) => ({ ok }),
  (error: unknown) => ({ error: error instanceof Error ? error.message : String(error) }),
);
process.stdout.write(JSON.stringify(answer));
