// Everything a command touches outside itself, so that tests can replace it. The real ports: process-ports.ts.

import type { KubeClient, Transport } from '@marekvs/runtime';

export interface Output {
  write(text: string): void;
  readonly isTty: boolean;
  /** Width of the terminal, or of COLUMNS; undefined without either: programs that read a pipe want whole lines. */
  readonly columns: number | undefined;
  /** Lines of the terminal; undefined where there is none. */
  readonly rows: number | undefined;
}

export interface ConnectOptions {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
}

export interface Connection {
  readonly client: KubeClient;
  readonly transport: Transport;
  /** The namespace of the context. */
  readonly namespace: string;
  close(): Promise<void>;
}

/** A port of this machine that leads to one of a Pod. */
export interface PortForward {
  readonly host: string;
  readonly port: number;
  /** Resolves with the reason when the forward has ended. */
  readonly ended: Promise<string>;
  close(): void;
}

export interface PodPort {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

export interface CliPorts {
  readonly out: Output;
  readonly err: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  nowMs(): number;
  /** @throws the signal's reason */
  delay(ms: number): Promise<void>;
  connect(options: ConnectOptions): Promise<Connection>;
  /** `-` reads the standard input. @throws CliError when it is missing, or larger than `maxBytes` */
  readFile(path: string, maxBytes: number): Promise<string>;
  /** Refuses to replace a file. */
  writeFile(path: string, bytes: Uint8Array): Promise<void>;
  /** @throws Error when there is no kubectl; or with kubectl's message when it fails */
  forward(to: PodPort, options: ConnectOptions, signal: AbortSignal): Promise<PortForward>;
  /** The body of a GET over plain HTTP. @throws Error when the status is not 200, or the body exceeds `maxBytes` */
  readHttp(url: string, maxBytes: number, signal: AbortSignal): Promise<string>;
  /** One line typed by a person; undefined where nobody can be asked. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}
