// The port between a Pod's worker and whatever really runs: a process, a foreign program, a place in a
// process of many, or nothing.

export interface MemberSpec {
  /** Unique per start: Pod uid and restart count. */
  readonly id: string;
  /** For process lists and messages: `namespace/name`. */
  readonly name: string;
  /** The complete environment, already adapted to this host. */
  readonly env: Readonly<Record<string, string>>;
  /** The Pod's own folder, writable. */
  readonly folder: string;
  /** The file for what the member prints; earlier lives have written into it. */
  readonly logPath: string;
}

export interface MemberExit {
  readonly code: number | undefined;
  readonly signal: NodeJS.Signals | undefined;
}

export interface RunningMember {
  /** Undefined when it has no process of its own. */
  readonly pid: number | undefined;
  /** Never rejects. */
  readonly exited: Promise<MemberExit>;
  signal(signal: NodeJS.Signals): void;
}

export interface MemberRunner {
  readonly kind: 'process' | 'hosted' | 'program' | 'hollow' | 'pause';
  /** Resolves when it runs (not when it is ready). @throws when it cannot be started at all */
  start(spec: MemberSpec): Promise<RunningMember>;
  stop(): Promise<void>;
}
