// From "please stop" to the exit code: signals, unhandled errors, the last log lines. The only file that ends the
// process.
import { EXIT_CODE, type ExitCode, failureFields } from '../errors/exit-codes.ts';
import type { RootLogger } from '../log/logger.ts';
import type { ManagerResult } from './manager.ts';

/** What is needed of node:process, so that tests need no second process. */
export interface ProcessPort {
  on(event: string, listener: (...args: unknown[]) => void): unknown;
  off(event: string, listener: (...args: unknown[]) => void): unknown;
  exit(code: number): void;
}

export interface ShutdownOptions {
  /** Closed as the last thing before the exit. */
  readonly logger: RootLogger;
  /** @default node:process */
  readonly process?: ProcessPort;
}

const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** Runs `main` to the end of the process. The first SIGTERM or SIGINT aborts its signal (stop admitting, drain,
 *  release); the second exits at once with 1. An unhandled rejection or exception is logged and exits 70: a
 *  half-alive operator is worse than none, and the lease lapses by itself (F63). Resolves after `process.exit` was
 *  called, which matters only to tests. */
export async function runUntilExit(
  main: (signal: AbortSignal) => Promise<ManagerResult>,
  options: ShutdownOptions,
): Promise<void> {
  const { logger, process: port = process } = options;
  const stop = new AbortController();
  let isExiting = false;

  const exit = async (code: ExitCode): Promise<void> => {
    if (isExiting) return;
    isExiting = true;
    await logger.close();
    for (const [event, listener] of listeners) port.off(event, listener);
    port.exit(code);
  };
  const onSignal = (name: unknown): void => {
    if (stop.signal.aborted) {
      port.exit(EXIT_CODE.failure);
      return;
    }
    logger.info('Stopping', { signal: String(name) });
    stop.abort(new Error(`received ${String(name)}`));
  };
  const onFatal = (error: unknown): void => {
    logger.error('Unhandled error, exiting', { err: error });
    void exit(EXIT_CODE.invariant);
  };
  const listeners: [string, (...args: unknown[]) => void][] = [
    ...STOP_SIGNALS.map((name): [string, (...args: unknown[]) => void] => [name, onSignal]),
    ['unhandledRejection', onFatal],
    ['uncaughtException', onFatal],
  ];
  for (const [event, listener] of listeners) port.on(event, listener);

  try {
    const { exitCode, error } = await main(stop.signal);
    if (error === undefined) logger.info('Stopped', { exitCode });
    else logger.error('Stopped after a failure', { exitCode, ...failureFields(error) });
    await exit(exitCode);
  } catch (error) {
    onFatal(error);
  }
}
