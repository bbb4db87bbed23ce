import { Writable } from 'node:stream';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createLogger, type LoggerOptions, type RootLogger } from '../src/log/logger.ts';

function setUp(options: Partial<LoggerOptions> = {}): {
  logger: RootLogger;
  text: () => string;
  lines: () => Record<string, unknown>[];
} {
  const chunks: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(String(chunk));
      done();
    },
  });
  const text = (): string => chunks.join('');
  return {
    logger: createLogger({ stream, nowMs: () => Date.UTC(2026, 0, 1), ...options }),
    text,
    lines: () =>
      text()
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}

describe('logger', () => {
  it('writes one JSON object per line, with the fields of the child and of the call', async () => {
    const { logger, lines } = setUp();
    logger
      .child({ controller: 'cluster' })
      .child({ reconcileId: 'cluster-7' })
      .info('Added node', { node: 'shop/demo-3' });
    await logger.close();
    expect(lines()).to.deep.equal([
      {
        ts: '2026-01-01T00:00:00.000Z',
        level: 'info',
        msg: 'Added node',
        controller: 'cluster',
        reconcileId: 'cluster-7',
        node: 'shop/demo-3',
      },
    ]);
  });

  it('has written every line when close resolves', async () => {
    const { logger, lines } = setUp();
    for (let i = 0; i < 1000; i++) logger.info('Line', { i });
    await logger.close();
    expect(lines()).to.have.length(1000);
  });

  it('writes no debug line by default', async () => {
    const quiet = setUp();
    quiet.logger.debug('Hidden');
    await quiet.logger.close();
    const loud = setUp({ level: 'debug' });
    loud.logger.child({}).debug('Shown');
    await loud.logger.close();
    expect([quiet.lines().length, loud.lines().length]).to.deep.equal([0, 1]);
  });

  it('writes only lines of the chosen level and above', async () => {
    const { logger, lines } = setUp({ level: 'warn' });
    logger.info('Hidden');
    logger.warn('Shown');
    logger.error('Shown');
    await logger.close();
    expect(lines().map((line) => line.level)).to.deep.equal(['warn', 'error']);
  });

  for (const name of [
    'password',
    'requirePass',
    'MAREKVS_REQUIREPASS',
    'token',
    'bearer_token',
    'Authorization',
    'client-key-data',
    'secret',
    'apiKey',
  ]) {
    it(`never shows the value of a field named ${name}, however deep`, async () => {
      const { logger, text } = setUp();
      logger.info('Starting', { [name]: 'hunter2', env: { inner: [{ [name]: 'hunter2' }] } });
      await logger.close();
      expect(text()).to.not.contain('hunter2');
      expect(text()).to.contain('[redacted]');
    });
  }

  it('removes bearer tokens and passwords in URLs from strings, also in errors', async () => {
    const { logger, text } = setUp();
    const cause = new Error('GET https://user:hunter2@host/ failed');
    logger.error('Failed', { err: new Error('sent Authorization: Bearer hunter2hunter2', { cause }) });
    await logger.close();
    expect(text()).to.not.contain('hunter2');
    expect(text()).to.contain('[redacted]');
  });

  it('writes an error with its name, message, own fields and cause', async () => {
    const { logger, lines } = setUp();
    const err = Object.assign(new TypeError('bad answer', { cause: new Error('reset') }), { address: '127.0.0.1' });
    logger.error('Failed', { err });
    await logger.close();
    const shown = lines()[0]?.err as Record<string, unknown>;
    expect(shown).to.include({ name: 'TypeError', message: 'bad answer', address: '127.0.0.1' });
    expect((shown.cause as Record<string, unknown>).message).to.equal('reset');
  });

  it('survives cycles, deep nesting, huge strings, bigints and functions', async () => {
    const { logger, text, lines } = setUp();
    const cycle: Record<string, unknown> = { big: 'x'.repeat(1_000_000), n: 10n, f: () => 1 };
    cycle.self = cycle;
    logger.info('Odd', { cycle, bytes: Buffer.alloc(1000) });
    await logger.close();
    expect(lines()).to.have.length(1);
    expect(text().length).to.be.below(10_000);
  });

  it('writes one sentence per line in text format', async () => {
    const { logger, text } = setUp({ format: 'text' });
    logger.info('Added\nnode', { node: 'shop/demo-3', message: 'two words' });
    await logger.close();
    expect(text()).to.equal('00:00:00.000 INFO  Added node  node=shop/demo-3 message="two words"\n');
  });
});
