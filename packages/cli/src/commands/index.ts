// Every command, in the order of the help.

import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { addStatus } from './status.ts';

export const COMMANDS: readonly ((program: Command, cli: Cli) => void)[] = [addStatus];
