// One JSON line per change of the world, on stdout. winston does the writing; this wrapper makes a switched-off debug
// free (1.3 µs in winston, docs/design/runtime.md#logging) and keeps secrets out (redact.ts).

import type { Writable } from 'node:stream';
import winston from 'winston';
import { redact } from './redact.ts';

/** Field names are the same everywhere: controller, reconcileId, cluster, node, member, action, reason,
 *  current, target, durationMs, err. */
export type LogFields = Readonly<Record<string, unknown>>;

/** `msg` starts with a capital, has no full stop; -ing before an action, past tense after it. Info: the world
 *  changed. Debug: why it did not. */
export interface Logger {
  /** A no-op function when debug is off. */
  readonly debug: (msg: string, fields?: LogFields) => void;
  info(msg: string, fields?: LogFields): void;
  warn(msg: string, fields?: LogFields): void;
  error(msg: string, fields?: LogFields): void;
  /** A logger that adds `fields` to every line. Cheap: one object. */
  child(fields: LogFields): Logger;
}

/** The root logger, which is closed at the end of the process. */
export interface RootLogger extends Logger {
  /** Resolves when every line so far has been handed to the stream, or after `timeoutMs` (default 2000). Nothing
   *  can be logged afterwards. */
  close(timeoutMs?: number): Promise<void>;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
export type LogFormat = 'json' | 'text';

export interface LoggerOptions {
  /** @default 'info' */
  readonly level?: LogLevel;
  /** One JSON object a line for machines, one sentence a line for a terminal. @default 'json' */
  readonly format?: LogFormat;
  /** @default process.stdout */
  readonly stream?: Writable;
  /** Wall clock of the `ts` field. @default Date.now */
  readonly nowMs?: () => number;
}

export function createLogger(options: LoggerOptions = {}): RootLogger {
  const { level = 'info', format = 'json', stream = process.stdout, nowMs = Date.now } = options;
  const toLine = format === 'json' ? (line: LogFields) => JSON.stringify(line) : formatText;
  const sink = winston.createLogger({
    level,
    format: winston.format.printf((info) => String(info.message)),
    transports: [new winston.transports.Stream({ stream, eol: '\n' })],
  });
  const write = (lineLevel: LogLevel, msg: string, fields: LogFields): void => {
    const line = { ts: new Date(nowMs()).toISOString(), level: lineLevel, msg, ...redact(fields) };
    sink.log(lineLevel, toLine(line));
  };
  return { ...wrap(write, level === 'debug', {}), close: (timeoutMs = 2000) => close(sink, timeoutMs) };
}

/** Logs nothing. For tests and for parts whose logger is optional. */
export const silentLogger: Logger = wrap(() => {}, false, {});

function wrap(
  write: (level: LogLevel, msg: string, fields: LogFields) => void,
  isDebug: boolean,
  own: LogFields,
): Logger {
  const at = (level: LogLevel) => (msg: string, fields?: LogFields) =>
    write(level, msg, fields === undefined ? own : { ...own, ...fields });
  return {
    debug: isDebug ? at('debug') : noop,
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => wrap(write, isDebug, { ...own, ...fields }),
  };
}

function noop(): void {}

function close(sink: winston.Logger, timeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, timeoutMs);
    sink.once('finish', () => {
      clearTimeout(timer);
      resolve();
    });
    sink.end();
  });
}

/** `12:03:04.005 INFO  Adding node  cluster=default/demo node=demo-3`. Line breaks stay only inside a stack trace. */
function formatText(line: Readonly<Record<string, unknown>>): string {
  const { ts, level, msg, err, ...fields } = line;
  const head = `${String(ts).slice(11, 23)} ${String(level).toUpperCase().padEnd(5)} ${oneLine(String(msg))}`;
  const pairs = Object.entries(fields).map(([name, value]) => `${name}=${formatValue(value)}`);
  const tail = pairs.length === 0 ? '' : `  ${pairs.join(' ')}`;
  return `${head}${tail}${err === undefined ? '' : formatError(err)}`;
}

function formatValue(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /[\s"=]/.test(text) ? JSON.stringify(text) : text;
}

function formatError(err: unknown): string {
  if (typeof err !== 'object' || err === null) return `  err=${formatValue(err)}`;
  const { message, stack } = err as { message?: unknown; stack?: unknown };
  return `  err=${JSON.stringify(message ?? err)}${typeof stack === 'string' ? `\n${stack}` : ''}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/[\r\n]+/g, ' ');
}
