// The flags of verbs whose effect takes a while.

import { type Command, Option } from 'commander';
import { duration } from '../duration.ts';

export interface WaitOptions {
  readonly wait?: boolean;
  readonly timeout: number;
}

export function withWait(command: Command): Command {
  return command
    .option('--wait', 'wait until it is done')
    .addOption(
      new Option('--timeout <time>', 'how long to wait, such as 90s').argParser(duration).default(600_000, '10m'),
    );
}
