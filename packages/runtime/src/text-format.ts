// The `--log-format text` line: for a person at a terminal, not for a parser.

/** `12:03:04.005 INFO  Adding node  cluster=default/demo node=demo-3`. Line breaks stay only inside a stack trace. */
export function formatText(line: Readonly<Record<string, unknown>>): string {
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
