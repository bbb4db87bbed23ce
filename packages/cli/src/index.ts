export { EXIT, type ExitCode } from './exit-codes.ts';
export type { CliPorts, Connection, ConnectOptions, Output } from './ports.ts';
export { runCli } from './run.ts';
