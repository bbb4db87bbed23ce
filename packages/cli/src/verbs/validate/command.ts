// `kubectl mkv validate -f file`: offline, with the line of each problem.

import type { Command } from 'commander';
import type { Cli, Run } from '../../connection/cli.ts';
import { EXIT, type ExitCode } from '../../connection/errors.ts';
import { harmless } from '../../screen/text.ts';

interface ValidateOptions {
  readonly filename: readonly string[];
}

const MAX_BYTES = 4 << 20;

export function addValidate(program: Command, cli: Cli): void {
  program
    .command('validate')
    .summary('check manifests offline')
    .description('check offline whether the API server would accept these manifests; exits 1 if not')
    .requiredOption('-f, --filename <file...>', 'YAML or JSON; - for standard input')
    .action(cli.action<[], ValidateOptions>((run, _args, { filename }) => validate(run, filename)));
}

async function validate(run: Run, files: readonly string[]): Promise<ExitCode> {
  // Parser, schema library and ajv are loaded for this command only.
  const { validateText } = await import('./validate-text.ts');
  let errors = 0;
  for (const file of files) {
    for (const { what, isChecked, problems } of validateText(await run.ports.readFile(file, MAX_BYTES))) {
      const wrong = problems.filter(({ kind }) => kind === 'error').length;
      errors += wrong;
      if (!isChecked) run.note(harmless(`${file}: ${what} is not checked`));
      else if (wrong === 0) run.print([harmless(`${file}: ${what} is valid`)]);
      for (const { line, column, path, message, kind } of problems) {
        // The catalogue's messages name their field themselves.
        const text =
          message.startsWith('spec.') || message.startsWith('metadata.') || path === ''
            ? message
            : `${path} ${message}`;
        run.print([harmless(`${file}:${line}:${column}: ${kind === 'note' ? 'note: ' : ''}${text}`)]);
      }
    }
  }
  if (errors === 0) return EXIT.fine;
  run.note(`error: ${errors} ${errors === 1 ? 'problem' : 'problems'}. Next: correct the lines named and run it again`);
  return EXIT.failed;
}
