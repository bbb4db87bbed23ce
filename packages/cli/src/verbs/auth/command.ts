// `kubectl mkv auth grant <cluster>`: lets the operator, and nobody else, read the one Secret that a cluster names, and
// the one that its members had before, as long as they may want it.

import { OPERATOR_ACCOUNT, OPERATOR_NAMESPACE } from '@marekvs/api';
import type { Command } from 'commander';
import { readCluster, readNodes, readPods } from '../../cluster/cluster-parts.ts';
import { type Cli, type Run, withSharedOptions } from '../../connection/cli.ts';
import { blocked } from '../../connection/errors.ts';
import { documentText } from '../../screen/document.ts';
import { grantObjects, ROLE, ROLE_BINDING, secretsOf } from './grant.ts';

interface GrantOptions {
  readonly apply?: boolean;
  readonly operatorNamespace: string;
  readonly serviceAccount: string;
}

const FIELD_MANAGER = 'kubectl-mkv';

export function addAuth(program: Command, cli: Cli): void {
  const auth = program
    .command('auth')
    .summary('let the operator read the Secret of a cluster')
    .description('let the operator read the Secret with the password of a cluster');
  withSharedOptions(auth.command('grant'), { output: false })
    .summary('print or apply the permission for that one Secret')
    .description(
      'print, or apply, a Role and a RoleBinding that let the operator read and watch the one Secret that spec.auth names, and those that running members got their password from before',
    )
    .argument('[cluster]', 'name of the cluster (default: the only one of the namespace)')
    .option('--apply', 'apply them; you need these permissions yourself')
    .option('--operator-namespace <name>', 'where the operator runs', OPERATOR_NAMESPACE)
    .option('--service-account <name>', 'service account that the operator runs as', OPERATOR_ACCOUNT)
    .action(cli.action<[string | undefined], GrantOptions>((run, [name], options) => grant(run, name, options)));
}

async function grant(run: Run, name: string | undefined, options: GrantOptions): Promise<void> {
  const cluster = await readCluster(run, name);
  const { metadata } = cluster;
  // Pods that cannot be read must not count as none: the operator would lose access to the Secrets they use.
  const [nodes, pods] = await Promise.all([readNodes(run, cluster), readPods(run, cluster)]);
  const secrets = secretsOf(cluster, nodes, pods);
  if (secrets.length === 0)
    throw blocked(
      `${metadata.name} names no Secret: it has no spec.auth`,
      `kubectl edit mkv ${metadata.name} -n ${metadata.namespace}`,
    );
  const account = { namespace: options.operatorNamespace, name: options.serviceAccount };
  const { role, binding } = grantObjects(metadata, secrets, account);
  if (options.apply !== true)
    return run.print([`${await documentText(role, 'yaml')}---\n${await documentText(binding, 'yaml')}`.trimEnd()]);
  const { client } = await run.connect();
  const how = { fieldManager: FIELD_MANAGER, force: true, signal: run.ports.signal };
  await client.apply(ROLE, role, how);
  await client.apply(ROLE_BINDING, binding, how);
  run.tell(
    `${account.namespace}/${account.name} may read and follow ${secrets.length === 1 ? 'Secret' : 'Secrets'} ${secrets.join(', ')}`,
    `it is taken up within 30 s; see it: kubectl mkv status ${metadata.name} -n ${metadata.namespace}`,
  );
}
