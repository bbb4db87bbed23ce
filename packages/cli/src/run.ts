// One command line from its arguments to its exit code.

import { Command, CommanderError } from 'commander';
import { createCli, withSharedOptions } from './connection/cli.ts';
import { EXIT, EXIT_HELP, type ExitCode, failureOf } from './connection/errors.ts';
import type { CliPorts } from './connection/ports.ts';
import { PLUGIN, VERSION } from './connection/version.ts';
import { harmless } from './screen/text.ts';
import { COMMANDS } from './verbs/index.ts';

export const PROGRAM = 'kubectl mkv';
/** Width of the help when that of the terminal is unknown. */
const HELP_WIDTH = 80;

/** Never throws; all output goes to the ports. */
export async function runCli(argv: readonly string[], ports: CliPorts): Promise<ExitCode> {
  let code: ExitCode = EXIT.fine;
  const program = createProgram(ports, (ended) => {
    code = ended;
  });
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.fine : EXIT.usage;
    if (ports.signal.aborted) {
      ports.err.write('error: stopped before it was done. Next: check what has been changed before you run it again\n');
      return EXIT.failed;
    }
    const { exitCode, message, next } = failureOf(error);
    ports.err.write(`${harmless(`error: ${message}${next === undefined ? '' : `. Next: ${next}`}`)}\n`);
    if (ports.env.MKV_DEBUG === '1' && error instanceof Error) ports.err.write(`${error.stack}\n`);
    return exitCode;
  }
}

export function createProgram(ports: CliPorts, ended: (code: ExitCode) => void): Command {
  const cli = createCli(ports, ended);
  const program = withSharedOptions(new Command(PROGRAM), { output: false })
    .description('What a marekvs cluster does, why it waits, and what to do about it.')
    .version(`${PLUGIN} ${VERSION}`, '--version', 'print the version')
    .helpCommand('help [command]', 'help for a command')
    .addHelpText('afterAll', EXIT_HELP);
  for (const add of COMMANDS) add(program, cli);
  for (const command of withVerbs(program)) {
    command.exitOverride().showHelpAfterError(false);
    command.configureOutput({
      writeOut: (text) => ports.out.write(text),
      writeErr: (text) => ports.err.write(text),
      outputError: (text, write) =>
        write(
          `${harmless(meantText(text.trim().replace(/\.$/, ''), program))}. Next: ${PROGRAM} ${nameOf(command)}--help\n`,
        ),
      getOutHelpWidth: () => ports.out.columns ?? HELP_WIDTH,
      getErrHelpWidth: () => ports.err.columns ?? HELP_WIDTH,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  }
  return program;
}

const UNKNOWN = /unknown command '([^']+)'/;

/** Suggests a verb of exactly this name elsewhere, and none that merely looks alike: a verb that restarts members must
 *  not be offered for one that lets an update go on. */
function meantText(text: string, program: Command): string {
  const [unknown, typed] = UNKNOWN.exec(text) ?? [];
  const meant = withVerbs(program).find((one) => one.parent !== null && one.name() === typed);
  return meant === undefined ? text : `error: ${unknown} (Did you mean ${PROGRAM} ${nameOf(meant).trim()}?)`;
}

/** A command with all its subcommands, at any depth. */
function withVerbs(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(withVerbs)];
}

function nameOf(command: Command): string {
  return command.parent === null ? '' : `${nameOf(command.parent)}${command.name()} `;
}
