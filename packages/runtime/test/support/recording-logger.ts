// A logger that keeps its lines.
import type { LogFields, Logger } from '../../src/log/logger.ts';

export interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly fields: LogFields;
}

export interface RecordingLogger extends Logger {
  readonly lines: LogLine[];
  messages(level: string): string[];
}

export function createRecordingLogger(lines: LogLine[] = [], own: LogFields = {}): RecordingLogger {
  const at =
    (level: string) =>
    (msg: string, fields: LogFields = {}): void => {
      lines.push({ level, msg, fields: { ...own, ...fields } });
    };
  return {
    lines,
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => createRecordingLogger(lines, { ...own, ...fields }),
    messages: (level) => lines.filter((line) => line.level === level).map((line) => line.msg),
  };
}
