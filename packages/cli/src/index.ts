export { EXIT, type ExitCode } from './errors.ts';
export type { CliPorts, Connection, ConnectOptions, Output } from './ports.ts';
export { runCli } from './run.ts';
