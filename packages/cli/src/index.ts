export { EXIT, type ExitCode } from './connection/errors.ts';
export type { CliPorts, Connection, ConnectOptions, Output } from './connection/ports.ts';
export { runCli } from './run.ts';
