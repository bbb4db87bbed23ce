// The operator's flags, each also an environment variable. Parsing only; what they mean is documented with each.

import { OPERATOR_NAMESPACE } from '@marekvs/api';
import { MAX_REPLICAS } from '@marekvs/runtime';
import { Command, InvalidArgumentError, Option } from 'commander';

export interface OperatorOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  /** Namespace of the operator and its lease. */
  readonly namespace: string;
  /** Empty: all namespaces. */
  readonly watchNamespaces: readonly string[];
  /** Name of a ConfigMap in the operator's namespace with the namespaces to manage; it may change at any time. */
  readonly namespacesFrom?: string;
  /** Keys of taints that mean the same as a cordon of a host. Empty: only cordoned hosts are watched. */
  readonly drainTaints: readonly string[];
  readonly metricsBindAddress: string;
  readonly healthProbeBindAddress: string;
  readonly leaseDuration: number;
  readonly renewInterval: number;
  readonly stepTimeout: number;
  readonly maxConcurrentReconciles: number;
  readonly logFormat: 'json' | 'text';
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
  readonly podName: string;
  readonly podUid: string;
  /** `single`: one replica does everything. `static`, `ring`: all share. */
  readonly mode: 'single' | 'static' | 'ring';
  /** Number of replicas, in mode `static`. */
  readonly replicas?: number;
  /** Ordinal of this replica, when its Pod's name does not end with it. */
  readonly ordinal?: number;
}

/** The options of a command line. Exits with 2 and one line on nonsense, with 0 for --help. */
export function parseOptions(argv: readonly string[]): OperatorOptions {
  const command = new Command('marekvs-operator')
    .description('Runs marekvs clusters on Kubernetes: one MarekvsNode per member, membership as the members see it.')
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));
  for (const option of OPTIONS) command.addOption(option);
  command.parse([...argv], { from: 'user' });
  const options = command.opts<OperatorOptions>();
  const wrong = wrongShare(options) ?? wrongNamespaces(options);
  if (wrong !== undefined) command.error(`error: ${wrong}`);
  return options;
}

/** The ordinal of a sharing replica: as given, or from the Pod name of a StatefulSet; undefined when neither is
 *  there. */
export function ordinalOf({ ordinal, podName }: Pick<OperatorOptions, 'ordinal' | 'podName'>): number | undefined {
  const ending = /-(\d{1,4})$/.exec(podName)?.[1];
  return ordinal ?? (ending === undefined ? undefined : Number(ending));
}

/** Why the sharing flags are invalid; undefined when they are not. */
export function wrongShare(
  options: Pick<OperatorOptions, 'mode' | 'replicas' | 'ordinal' | 'podName'>,
): string | undefined {
  const { mode, replicas } = options;
  if (mode === 'single') return undefined;
  const own = ordinalOf(options);
  if (own === undefined) return `--mode=${mode} needs --ordinal, or a Pod of a StatefulSet`;
  if (own >= MAX_REPLICAS) return `--ordinal ${own}: at most ${MAX_REPLICAS} replicas share`;
  if (mode === 'ring') return undefined;
  if (replicas === undefined) return '--mode=static needs --replicas';
  return own < replicas ? undefined : `--ordinal ${own}: with --replicas ${replicas} the highest is ${replicas - 1}`;
}

/** Why the namespace flags are invalid; undefined when they are not. */
export function wrongNamespaces({
  watchNamespaces,
  namespacesFrom,
}: Pick<OperatorOptions, 'watchNamespaces' | 'namespacesFrom'>): string | undefined {
  if (namespacesFrom === undefined || watchNamespaces.length === 0) return undefined;
  return '--watch-namespaces and --namespaces-from exclude each other: write the names into the ConfigMap';
}

/** A flag that is also an environment variable, such as MAREKVS_OPERATOR_LOG_LEVEL. */
function flag(flags: string, description: string): Option {
  const option = new Option(flags, description);
  return option.env(`MAREKVS_OPERATOR_${option.name().replaceAll('-', '_').toUpperCase()}`);
}

/** Every flag, with its environment variable and default. */
export const OPTIONS: readonly Option[] = [
  flag('--kubeconfig <file>', 'kubeconfig to use (default: $KUBECONFIG, the Pod, ~/.kube/config)'),
  flag('--context <name>', 'context of the kubeconfig'),
  new Option('--namespace <name>', 'namespace of the operator and its lease')
    .env('POD_NAMESPACE')
    .default(OPERATOR_NAMESPACE),
  flag('--watch-namespaces <names>', 'namespaces to manage, separated by commas (default: all)')
    .argParser((text) => text.split(',').filter((name) => name !== ''))
    .default([], 'all'),
  flag(
    '--namespaces-from <configmap>',
    'ConfigMap in the namespace of the operator that says which namespaces to manage, by name and by label selector; it may change at any time',
  ).argParser(configMapName),
  flag(
    '--drain-taints <keys>',
    'keys of taints that mean the same as a cordon, separated by commas; with any, all Nodes are watched (default: none, so that only cordoned Nodes are watched)',
  )
    .argParser(taintKeys)
    .default([], 'none'),
  flag('--metrics-bind-address <address>', 'where /metrics is served; 0 = nowhere').default(':8080'),
  flag('--health-probe-bind-address <address>', 'where /healthz and /readyz are served; 0 = nowhere').default(':8081'),
  flag('--lease-duration <time>', 'time after which a silent leader is replaced')
    .argParser(duration)
    .default(15_000, '15s'),
  flag('--renew-interval <time>', 'time between two renewals of the lease').argParser(duration).default(4_000, '4s'),
  flag('--step-timeout <time>', 'time limit of one pass').argParser(duration).default(30_000, '30s'),
  flag('--max-concurrent-reconciles <n>', 'passes that may run at once, per controller')
    .argParser(positive)
    .default(16),
  flag('--log-format <format>', 'json for machines, text for a terminal').choices(['json', 'text']).default('json'),
  flag('--log-level <level>', 'least severe line to log').choices(['debug', 'info', 'warn', 'error']).default('info'),
  flag(
    '--mode <mode>',
    'how replicas share the clusters: single = one does everything, static = each has a fixed part by its number, ring = those that are alive share',
  )
    .choices(['single', 'static', 'ring'])
    .default('single'),
  flag('--replicas <n>', 'number of replicas; needed by --mode=static').argParser(replicas),
  flag('--ordinal <n>', 'number of this replica, starting at 0 (default: the end of its name)').argParser(ordinal),
  new Option('--pod-name <name>', 'name of this replica').env('POD_NAME').default('marekvs-operator'),
  new Option('--pod-uid <uid>', 'UID of this replica, so that a restarted container can take back its own lease')
    .env('POD_UID')
    .default(''),
];

/** `15s`, `500ms`, `2m` in milliseconds. */
function duration(text: string): number {
  const match = /^(\d+)(ms|s|m)$/.exec(text);
  if (match === null) throw new InvalidArgumentError('expected a time such as 500ms, 15s or 2m');
  return Number(match[1]) * { ms: 1, s: 1_000, m: 60_000 }[match[2] as 'ms' | 's' | 'm'];
}

/** Each is a qualified name of Kubernetes: at most 63 characters, with or without a domain before it. */
export function taintKeys(text: string): readonly string[] {
  const keys = text.split(',').filter((key) => key !== '');
  const wrong = keys.find(
    (key) => !/^([a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([-._A-Za-z0-9]{0,61}[A-Za-z0-9])?$/.test(key),
  );
  if (wrong !== undefined) throw new InvalidArgumentError(`${wrong} is not the key of a taint`);
  return keys;
}

function configMapName(text: string): string {
  if (!/^[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?$/.test(text))
    throw new InvalidArgumentError('expected the name of a ConfigMap');
  return text;
}

function positive(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('expected a whole number of at least 1');
  return value;
}

function replicas(text: string): number {
  const value = positive(text);
  if (value > MAX_REPLICAS) throw new InvalidArgumentError(`at most ${MAX_REPLICAS} replicas share`);
  return value;
}

function ordinal(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value >= MAX_REPLICAS)
    throw new InvalidArgumentError(`expected a number from 0 to ${MAX_REPLICAS - 1}`);
  return value;
}
