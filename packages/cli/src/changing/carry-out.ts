// Carries out the outcome of a request, and prints it.

import type { Run } from '../connection/cli.ts';
import { blocked } from '../connection/errors.ts';
import type { Change } from './change.ts';

/** @throws CliError when it is refused */
export async function carryOut<What extends object>(
  run: Run,
  change: Change<What>,
  write: (change: Extract<Change<What>, { readonly kind: 'change' }>) => Promise<void>,
): Promise<void> {
  switch (change.kind) {
    case 'refused':
      throw blocked(change.why, change.next);
    case 'same':
      run.print([change.text]);
      return;
    case 'change':
      await write(change);
      run.tell(change.did, change.next);
  }
}
