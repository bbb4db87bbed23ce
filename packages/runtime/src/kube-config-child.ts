// The process that reads the kubeconfig for kube-config.ts and ends: the memory of @kubernetes/client-node goes with it.
// argv[2]: a ReadRequest as JSON. stdout: `{ok}` or `{error}` as JSON.
import { readKubeConfig } from './kube-config-read.ts';

const answer = await readKubeConfig(JSON.parse(process.argv[2] ?? '{}')).then(
  (ok) => ({ ok }),
  (error: unknown) => ({ error: error instanceof Error ? error.message : String(error) }),
);
process.stdout.write(JSON.stringify(answer));
