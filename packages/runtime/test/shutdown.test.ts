import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { RootLogger } from '../src/log/logger.ts';
import type { ManagerResult } from '../src/process/manager.ts';
import { type ProcessPort, runUntilExit } from '../src/process/shutdown.ts';
import { createRecordingLogger, type LogLine } from './support/recording-logger.ts';

interface FakeProcess extends ProcessPort {
  emit(event: string, ...args: unknown[]): boolean;
  readonly exits: number[];
  listenerCount(event: string): number;
}

function createFakeProcess(): FakeProcess {
  const emitter = new EventEmitter();
  const exits: number[] = [];
  return {
    on: (event, listener) => emitter.on(event, listener),
    off: (event, listener) => emitter.off(event, listener),
    emit: (event, ...args) => emitter.emit(event, ...args),
    listenerCount: (event) => emitter.listenerCount(event),
    exit: (code) => exits.push(code),
    exits,
  };
}

function createRootLogger(lines: LogLine[], log: string[]): RootLogger {
  return {
    ...createRecordingLogger(lines),
    async close() {
      log.push('closed');
    },
  };
}

/** Ends cleanly when its signal is aborted. */
function untilAborted(signal: AbortSignal): Promise<ManagerResult> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve({ exitCode: 0 }), { once: true }));
}

describe('shutdown', () => {
  for (const name of ['SIGTERM', 'SIGINT']) {
    it(`${name} stops, closes the log and then exits 0`, async () => {
      const port = createFakeProcess();
      const log: string[] = [];
      const ended = runUntilExit(untilAborted, { logger: createRootLogger([], log), process: port });
      port.emit(name, name);
      await ended;
      expect(port.exits).to.deep.equal([0]);
      expect(log).to.deep.equal(['closed']);
    });
  }

  it('a second signal exits at once', () => {
    const port = createFakeProcess();
    void runUntilExit(() => new Promise(() => {}), { logger: createRootLogger([], []), process: port });
    port.emit('SIGTERM', 'SIGTERM');
    expect(port.exits).to.deep.equal([]);
    port.emit('SIGINT', 'SIGINT');
    expect(port.exits).to.deep.equal([1]);
  });

  for (const event of ['unhandledRejection', 'uncaughtException']) {
    it(`${event} leaves a log line and exits 70, once (F63)`, async () => {
      const port = createFakeProcess();
      const lines: LogLine[] = [];
      void runUntilExit(() => new Promise(() => {}), { logger: createRootLogger(lines, []), process: port });
      port.emit(event, new Error('forgotten await'));
      port.emit(event, new Error('another'));
      await new Promise((resolve) => setImmediate(resolve));
      expect(port.exits).to.deep.equal([70]);
      expect(lines[0]?.level).to.equal('error');
      expect(String(lines[0]?.fields.err)).to.contain('forgotten await');
    });
  }

  it('exits with the code of the failure that stopped the parts', async () => {
    const port = createFakeProcess();
    const main = async (): Promise<ManagerResult> => ({ exitCode: 77, error: new Error('forbidden') });
    await runUntilExit(main, { logger: createRootLogger([], []), process: port });
    expect(port.exits).to.deep.equal([77]);
    expect(port.listenerCount('SIGTERM') + port.listenerCount('unhandledRejection')).to.equal(0);
  });
});
