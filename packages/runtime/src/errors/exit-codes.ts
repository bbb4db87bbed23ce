// Why the process ended, as a number (docs/errors.md#exit-codes): the only thing that a supervisor reads.

export const EXIT_CODE = {
  /** Stopped when asked to, everything drained and released. */
  clean: 0,
  /** A part failed at run time, or did not stop in time. */
  failure: 1,
  /** Wrong flags or surroundings: missing kubeconfig, port in use. */
  usage: 2,
  /** An unhandled rejection or a broken invariant: going on would be guessing. */
  invariant: 70,
  /** Ownership lost in mode `single`, with no way to regain it. */
  ownershipLost: 75,
  /** A permission is missing at start. */
  forbidden: 77,
  /** Replicas disagree on the configuration (slot count, ring version). */
  configMismatch: 78,
} as const;

export type ExitCode = (typeof EXIT_CODE)[keyof typeof EXIT_CODE];

/** An error that knows which exit code it deserves. */
export class ExitError extends Error {
  override readonly name: string = 'ExitError';
  readonly exitCode: ExitCode;
  constructor(exitCode: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** The exit code an error asks for, `failure` for all that ask for none. */
export function exitCodeOf(error: unknown): ExitCode {
  return error instanceof ExitError ? error.exitCode : EXIT_CODE.failure;
}

/** Log fields for a failure: the message of an expected one (ExitError), the whole error with its stack otherwise. */
export function failureFields(error: unknown): { readonly why: string } | { readonly err: unknown } {
  return error instanceof ExitError ? { why: error.message } : { err: error };
}
