// `kubectl mkv completion <shell>`: scripts that ask this program itself what may come next, so that they never go
// stale.

import { MAREKVS_CLUSTER, MAREKVS_NODE } from '@marekvs/operator/projections';
import type { KubeObject } from '@marekvs/runtime';
import type { Command, Option } from 'commander';
import { type Cli, type Run, withSharedOptions } from '../../connection/cli.ts';
import { EXIT, type ExitCode } from '../../connection/errors.ts';

const SCRIPTS = {
  bash: `# source <(kubectl-mkv completion bash)
_kubectl_mkv() { local IFS=$'\\n'; COMPREPLY=($(kubectl-mkv __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)); }
complete -o default -F _kubectl_mkv kubectl-mkv
`,
  // The quotes and the @ keep an empty last word: what follows `status ` is not what follows `status`.
  zsh: `#compdef kubectl-mkv
# source <(kubectl-mkv completion zsh), after compinit; or save it as _kubectl_mkv in a folder of fpath
_kubectl_mkv() { compadd -- \${(f)"$(kubectl-mkv __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"} }
if [[ $funcstack[1] == _kubectl_mkv ]]; then _kubectl_mkv; else compdef _kubectl_mkv kubectl-mkv; fi
`,
  fish: `complete -c kubectl-mkv -f -a '(kubectl-mkv __complete -- (commandline -opc)[2..] (commandline -ct))'
complete -c kubectl-mkv -n '__fish_seen_subcommand_from validate report' -F
`,
  kubectl: `#!/bin/sh
# Save as kubectl_complete-mkv in a folder of PATH and make it executable: kubectl then completes "kubectl mkv".
kubectl-mkv __complete -- "$@" 2>/dev/null
echo :4
`,
} as const;

export function addCompletion(program: Command, cli: Cli): void {
  program
    .command('completion')
    .summary('print a completion script')
    .description('print a completion script: bash, zsh, fish, or kubectl for the file kubectl_complete-mkv')
    .argument('<shell>', Object.keys(SCRIPTS).join(', '))
    .action(
      cli.action<[string], object>(async (run, [shell]) => {
        if (!isShell(shell)) return unknownShell(run, shell);
        run.ports.out.write(SCRIPTS[shell]);
        return EXIT.fine;
      }),
    );
  withSharedOptions(program.command('__complete', { hidden: true }), { output: false })
    .argument('[words...]')
    .action(cli.action<[readonly string[]], object>((run, [words]) => complete(program, run, words)));
}

function isShell(text: string): text is keyof typeof SCRIPTS {
  return Object.hasOwn(SCRIPTS, text);
}

function unknownShell(run: Run, shell: string): ExitCode {
  run.note(`error: no completion for ${JSON.stringify(shell)}. Next: one of ${Object.keys(SCRIPTS).join(', ')}`);
  return EXIT.usage;
}

/** @param words what was typed after `kubectl mkv`, the last of them still being typed */
async function complete(program: Command, run: Run, words: readonly string[]): Promise<void> {
  const typed = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const names = await candidates(program, run, before, typed).catch(() => []);
  run.print(names.filter((name) => name.startsWith(typed)));
}

async function candidates(
  program: Command,
  run: Run,
  before: readonly string[],
  typed: string,
): Promise<readonly string[]> {
  const command = before.reduce(verbNamed, program);
  const verbs = command.commands.map((one) => one.name()).filter((name) => !name.startsWith('_'));
  if (typed.startsWith('-')) return command.options.flatMap(({ long }) => (long === undefined ? [] : [long]));
  const awaited = optionAwaitingValue(command, before.at(-1));
  if (awaited !== undefined) return awaited.argChoices ?? [];
  if (verbs.length > 0) return verbs;
  const argument = command.registeredArguments[0]?.name() ?? '';
  if (command.name() === 'completion') return Object.keys(SCRIPTS);
  return objectNames(run, argument, namespaceOf(before));
}

/** The verb of that name, or the command itself when the word is no verb. */
function verbNamed(command: Command, word: string): Command {
  return command.commands.find((one) => one.name() === word) ?? command;
}

function optionAwaitingValue(command: Command, word: string | undefined): Option | undefined {
  return command.options.find(
    (option) => option.required && word !== undefined && (option.long === word || option.short === word),
  );
}

function namespaceOf(words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => word === '-n' || word === '--namespace');
  return at < 0 ? undefined : words[at + 1];
}

/** Waits as long as the API server takes, like kubectl: a person who does not want to wait types on. With a time limit,
 *  a busy machine would offer nothing, which looks as if there were no such object. */
async function objectNames(run: Run, argument: string, namespace: string | undefined): Promise<readonly string[]> {
  if (argument !== 'cluster' && argument !== 'node') return [];
  const { client, namespace: own } = await run.connect();
  const kind = argument === 'cluster' ? MAREKVS_CLUSTER : MAREKVS_NODE;
  const options = { namespace: namespace ?? own, signal: run.ports.signal };
  const { items } = await client.list<KubeObject>(kind, options);
  return items.flatMap(({ metadata: { name } }) => name ?? []);
}
