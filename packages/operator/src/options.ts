// The operator's flags, each also an environment variable. Parsing only; what they mean is documented with each.

import { Command, InvalidArgumentError, Option } from 'commander';

export interface OperatorOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  /** Where the lease lives and the operator runs. */
  readonly namespace: string;
  /** Empty: all namespaces. */
  readonly watchNamespaces: readonly string[];
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
}

/** The options of a command line. Exits with 2 and one line on nonsense, with 0 for --help. */
export function parseOptions(argv: readonly string[]): OperatorOptions {
  const command = new Command('marekvs-operator')
    .description('Runs marekvs clusters on Kubernetes: one MarekvsNode per member, membership as the members see it.')
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));
  for (const option of OPTIONS) command.addOption(option);
  command.parse([...argv], { from: 'user' });
  return command.opts<OperatorOptions>();
}

const env = (option: Option, name: string) => option.env(`MAREKVS_OPERATOR_${name}`);
/** Every flag, with its environment variable and default. */
export const OPTIONS: readonly Option[] = [
  env(
    new Option('--kubeconfig <file>', 'kubeconfig to use (default: $KUBECONFIG, the Pod, ~/.kube/config)'),
    'KUBECONFIG',
  ),
  env(new Option('--context <name>', 'context of the kubeconfig'), 'CONTEXT'),
  new Option('--namespace <name>', 'namespace of the operator and its lease')
    .env('POD_NAMESPACE')
    .default('marekvs-system'),
  env(
    new Option('--watch-namespaces <names>', 'namespaces to look after, separated by commas (default: all)')
      .argParser((text) => text.split(',').filter((name) => name !== ''))
      .default([], 'all'),
    'WATCH_NAMESPACES',
  ),
  env(
    new Option('--metrics-bind-address <address>', 'where /metrics is served; 0 = nowhere').default(':8080'),
    'METRICS_BIND_ADDRESS',
  ),
  env(
    new Option('--health-probe-bind-address <address>', 'where /healthz and /readyz are served; 0 = nowhere').default(
      ':8081',
    ),
    'HEALTH_PROBE_BIND_ADDRESS',
  ),
  env(
    new Option('--lease-duration <time>', 'a silent leader is replaced after this time')
      .argParser(duration)
      .default(15_000, '15s'),
    'LEASE_DURATION',
  ),
  env(
    new Option('--renew-interval <time>', 'time between two renewals of the lease')
      .argParser(duration)
      .default(4_000, '4s'),
    'RENEW_INTERVAL',
  ),
  env(
    new Option('--step-timeout <time>', 'limit of one pass').argParser(duration).default(30_000, '30s'),
    'STEP_TIMEOUT',
  ),
  env(
    new Option('--max-concurrent-reconciles <n>', 'passes at once, per controller').argParser(positive).default(16),
    'MAX_CONCURRENT_RECONCILES',
  ),
  env(
    new Option('--log-format <format>', 'json for machines, text for a terminal')
      .choices(['json', 'text'])
      .default('json'),
    'LOG_FORMAT',
  ),
  env(
    new Option('--log-level <level>', 'least severe line to log')
      .choices(['debug', 'info', 'warn', 'error'])
      .default('info'),
    'LOG_LEVEL',
  ),
  new Option('--pod-name <name>', 'name of this replica').env('POD_NAME').default('marekvs-operator'),
  new Option('--pod-uid <uid>', 'UID of this replica, so that a restarted container takes its own lease back')
    .env('POD_UID')
    .default(''),
];

/** `15s`, `500ms`, `2m` in milliseconds. */
function duration(text: string): number {
  const match = /^(\d+)(ms|s|m)$/.exec(text);
  if (match === null) throw new InvalidArgumentError('a time such as 500ms, 15s or 2m is wanted');
  return Number(match[1]) * { ms: 1, s: 1_000, m: 60_000 }[match[2] as 'ms' | 's' | 'm'];
}

function positive(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('a whole number from 1 on is wanted');
  return value;
}
