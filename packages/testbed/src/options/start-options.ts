// The command line of `npm start`. Pure.
import { parseArgs } from 'node:util';
import { TestbedError } from '../errors.ts';

export interface StartOptions {
  readonly isHelp: boolean;
  readonly untilHealthy: boolean;
  /** Undefined = the simulated member. */
  readonly member: string | undefined;
  readonly speed: number;
  readonly deadlineSeconds: number;
}

export const USAGE = `usage: npm start -- [options]

Starts a Kubernetes control plane, a local kubelet and the operator on this machine,
applies config/samples/demo.yaml and shows what happens. Ctrl-C stops everything.

  --until-healthy        end with 0 when the sample is Healthy and all is stopped again,
                         with 1 and the reason when it is not in time
  --deadline-seconds <n> how long --until-healthy waits, default 180
  --member <program>     run this program for every Pod instead of the simulated member
                         (a marekvs-server: environment as in a Pod, listeners on the Pod's IP)
  --speed <n>            divide every timer of simulated members and probes, default 1
  --help                 this text
`;

/** @throws TestbedError (exit 2) naming the option */
export function parseStartOptions(args: readonly string[]): StartOptions {
  const values = parse(args);
  return {
    isHelp: values.help === true,
    untilHealthy: values['until-healthy'] === true,
    member: values.member,
    speed: positive('--speed', values.speed ?? '1', 1000),
    deadlineSeconds: positive('--deadline-seconds', values['deadline-seconds'] ?? '180', 86_400),
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      strict: true,
      options: {
        help: { type: 'boolean', short: 'h' },
        'until-healthy': { type: 'boolean' },
        'deadline-seconds': { type: 'string' },
        member: { type: 'string' },
        speed: { type: 'string' },
      },
    }).values;
  } catch (err) {
    throw new TestbedError(`${err instanceof Error ? err.message : String(err)}\n\n${USAGE}`, { exitCode: 2 });
  }
}

function positive(name: string, text: string, most: number): number {
  const value = Number(text);
  if (text.trim() !== '' && value > 0 && value <= most) return value;
  throw new TestbedError(`${name} ${text}: want a number above 0, at most ${most}`, { exitCode: 2 });
}
