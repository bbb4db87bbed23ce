// What can go wrong in the testbed and how a program should end because of it.
// Each message is a line for a person: what was tried, on what, what to do.

/** The base of every error that the testbed raises on purpose. `exitCode` is what `npm start` and `npm test` end
 *  with. */
export class TestbedError extends Error {
  readonly exitCode: number;

  constructor(message: string, options?: { readonly cause?: unknown; readonly exitCode?: number }) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.exitCode = options?.exitCode ?? 1;
  }
}

/** No kube-apiserver can be had on this machine. The message holds the three ways out. */
export class NoControlPlaneError extends TestbedError {
  constructor(message: string, cause?: unknown) {
    super(message, { cause, exitCode: 2 });
  }
}

/** A port that somebody asked for by number is taken. */
export class PortInUseError extends TestbedError {
  readonly port: number;

  constructor(what: string, host: string, port: number, cause?: unknown) {
    super(`start ${what}: port ${port} on ${host} is in use; choose another or leave it out to take a free one`, {
      cause,
    });
    this.port = port;
  }
}

/** The folder of the testbed lies on a full disk. */
export class DiskFullError extends TestbedError {
  readonly folder: string;

  constructor(folder: string, detail: string, cause?: unknown) {
    super(`no space left for ${folder}: ${detail}; free some, or point TMPDIR at a larger disk`, { cause });
    this.folder = folder;
  }
}

/** A program ended, or did not become ready in time. `logTail` is the end of what it printed. */
export class ProgramFailedError extends TestbedError {
  readonly program: string;
  readonly logTail: string;

  constructor(program: string, message: string, logTail: string) {
    super(logTail === '' ? `${program}: ${message}` : `${program}: ${message}; its last lines:\n${logTail}`);
    this.program = program;
    this.logTail = logTail;
  }
}

/** Another process holds the lock. */
export class AlreadyRunningError extends TestbedError {
  constructor(message: string) {
    super(message, { exitCode: 3 });
  }
}
