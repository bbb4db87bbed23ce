// What the simulator throws at its own edges: settings, knobs and the data folder.

/** An environment variable the real server would refuse too. */
export class InvalidSettingError extends Error {
  override readonly name = 'InvalidSettingError';
  readonly variable: string;

  constructor(variable: string, problem: string) {
    super(`read ${variable}: ${problem}`);
    this.variable = variable;
  }
}

export class InvalidKnobError extends Error {
  override readonly name = 'InvalidKnobError';
  readonly knob: string;

  constructor(knob: string, problem: string) {
    super(`set knob ${knob}: ${problem}`);
    this.knob = knob;
  }
}

/** Another live process holds the data folder. */
export class FolderLockedError extends Error {
  override readonly name = 'FolderLockedError';
  readonly folder: string;

  constructor(folder: string, holder: string) {
    super(`lock ${folder}: held by process ${holder}`);
    this.folder = folder;
  }
}

/** The process is gone, or RESP is not open yet. In-memory driver only. */
export class ConnectionRefusedError extends Error {
  override readonly name = 'ConnectionRefusedError';
  readonly address: string;

  constructor(address: string) {
    super(`connect to ${address}: refused`);
    this.address = address;
  }
}
