// What every command is given: where to write, how to connect, and the flags all of them share.

import type { Kind, KubeObject, ListOptions, ObjectRef, Stored } from '@marekvs/runtime';
import { type Command, Option } from 'commander';
import { documentText, type Format } from '../screen/document.ts';
import { harmless, type Paint, paintFor, type RenderContext } from '../screen/text.ts';
import { EXIT, type ExitCode, failed, wrongUsage } from './errors.ts';
import type { CliPorts, Connection } from './ports.ts';

/** The shared flags as they were given. */
export interface SharedOptions {
  readonly namespace?: string;
  readonly allNamespaces?: boolean;
  readonly context?: string;
  readonly kubeconfig?: string;
  readonly output?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** A command's view of one run of it. */
export interface Run {
  readonly ports: CliPorts;
  readonly options: SharedOptions;
  /** With -o json or -o yaml: a script reads the output, so only `printDocument` writes it. */
  readonly isDocument: boolean;
  readonly paint: Paint;
  /** Columns to fit into; undefined with `-o wide`, and where nothing says how many there are. */
  readonly width: number | undefined;
  /** Opens the connection at the first call. */
  connect(): Promise<Connection>;
  /** Lists the selected objects of a kind. Ctrl-C aborts it. */
  list<T extends KubeObject>(kind: Kind<T>, selection?: ListOptions): Promise<readonly Stored<T>[]>;
  get<T extends KubeObject>(kind: Kind<T>, ref: ObjectRef): Promise<Stored<T>>;
  /** From -n, or from the context; undefined with -A. */
  namespace(): Promise<string | undefined>;
  /** The present time, the width and the colours for rendering. */
  context(): RenderContext;
  print(lines: readonly string[]): void;
  /** The API server validates every write and stores none. */
  readonly isDryRun: boolean;
  /** Asks before something is removed or restarted, if a person is there. @throws CliError unless the answer is yes */
  consent(what: string): Promise<void>;
  /** Prints what a write has done and what comes next; for a dry run, what it would have done. */
  tell(did: string, next?: string): void;
  /** For -o json and -o yaml. */
  printDocument(value: unknown): Promise<void>;
  /** Prints to standard error, which scripts do not read. */
  note(text: string): void;
}

/** Resolves with the exit code; undefined means `EXIT.fine`. */
export type Handler<A extends readonly unknown[], O> = (
  run: Run,
  args: A,
  options: O,
) => Promise<ExitCode> | Promise<void>;

export interface Cli {
  readonly ports: CliPorts;
  /** Turns a handler into a commander action, and reports its exit code. */
  action<A extends readonly unknown[], O>(handler: Handler<A, O>): (...all: unknown[]) => Promise<void>;
}

const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

export function withSharedOptions(
  command: Command,
  has: { readonly all?: boolean; readonly output?: boolean; readonly writes?: boolean } = {},
): Command {
  command
    .addOption(
      new Option('-n, --namespace <name>', 'namespace (default: the one of the context)').argParser(namespaceName),
    )
    .addOption(new Option('--context <name>', 'context of the kubeconfig'))
    .addOption(new Option('--kubeconfig <file>', 'kubeconfig to use (default: $KUBECONFIG, the Pod, ~/.kube/config)'));
  if (has.all === true) command.addOption(new Option('-A, --all-namespaces', 'in all namespaces'));
  if (has.writes === true)
    command
      .addOption(new Option('--dry-run', 'let the API server validate it, and change nothing'))
      .addOption(new Option('-y, --yes', 'do not ask for confirmation'));
  if (has.output !== false)
    command.addOption(new Option('-o, --output <format>', 'wide, json or yaml').choices(['wide', 'json', 'yaml']));
  return command;
}

export function createCli(ports: CliPorts, ended: (code: ExitCode) => void): Cli {
  return {
    ports,
    action:
      (handler) =>
      async (...all) => {
        const command = all.at(-1) as Command;
        const args = all.slice(0, -2);
        const options = command.optsWithGlobals();
        const run = createRun(ports, options);
        try {
          // commander has parsed them as defined beside the handler.
          const code = await handler(run, args as never, options as never);
          ended(code === undefined ? EXIT.fine : code);
        } finally {
          await run.close();
        }
      },
  };
}

function createRun(ports: CliPorts, options: SharedOptions): Run & { close(): Promise<void> } {
  const format = (options.output ?? 'text') as Format;
  let connecting: Promise<Connection> | undefined;
  const connect = () => {
    connecting ??= ports.connect({ kubeconfig: options.kubeconfig, context: options.context });
    return connecting;
  };
  const paint = paintFor(ports.out.isTty, ports.env);
  const width = format === 'wide' ? undefined : ports.out.columns;
  return {
    ports,
    options,
    isDocument: format === 'json' || format === 'yaml',
    paint,
    width,
    connect,
    async list(kind, selection) {
      const { client } = await connect();
      return (await client.list(kind, { ...selection, signal: ports.signal })).items;
    },
    async get(kind, ref) {
      const { client } = await connect();
      return client.get(kind, ref, { signal: ports.signal });
    },
    async namespace() {
      if (options.allNamespaces === true) return undefined;
      return options.namespace ?? (await connect()).namespace;
    },
    context: () => ({ nowMs: ports.nowMs(), width, isWide: format === 'wide', paint }),
    print: (lines) => ports.out.write(lines.map((line) => `${line}\n`).join('')),
    isDryRun: options.dryRun === true,
    async consent(what) {
      if (options.yes === true || options.dryRun === true || ports.ask === undefined) return;
      const answer = await ports.ask(`${harmless(what)}. Go on? [y/N] `);
      if (!/^y(es)?$/i.test(answer)) throw failed('nothing was changed', 'answer y, or give --yes');
    },
    tell(did, next) {
      if (options.dryRun === true) this.print([`${did} (dry run)`]);
      else this.print([did, ...(next === undefined ? [] : [`next: ${next}`])]);
    },
    async printDocument(value) {
      ports.out.write(await documentText(value, format === 'yaml' ? 'yaml' : 'json'));
    },
    note: (text) => ports.err.write(`${text}\n`),
    async close() {
      await connecting?.then((connection) => connection.close()).catch(() => undefined);
    },
  };
}

function namespaceName(text: string): string {
  if (NAMESPACE.test(text)) return text;
  throw wrongUsage(`--namespace ${JSON.stringify(text)} is no name of a namespace`, 'kubectl get namespaces');
}
