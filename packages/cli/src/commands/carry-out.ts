// Does what a wish comes to, and says it.

import type { Change } from '../changing/change.ts';
import type { Run } from '../cli.ts';
import { CliError } from '../errors.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';

/** @throws CliError when it is refused */
export async function carryOut<What extends object>(
  run: Run,
  change: Change<What>,
  write: (change: Extract<Change<What>, { readonly kind: 'change' }>) => Promise<void>,
): Promise<ExitCode> {
  switch (change.kind) {
    case 'refused':
      throw new CliError(EXIT.blocked, change.why, change.next);
    case 'same':
      run.print([change.text]);
      return EXIT.fine;
    case 'change':
      await write(change);
      run.tell(change.did, change.next);
      return EXIT.fine;
  }
}
