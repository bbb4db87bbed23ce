// Every command, in the order of the help.

import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { addCancel } from './cancel.ts';
import { addExplain } from './explain.ts';
import { addForceRemove } from './force-remove.ts';
import { addPause } from './pause.ts';
import { addPlan } from './plan.ts';
import { addProof } from './proof.ts';
import { addRemove } from './remove.ts';
import { addScale } from './scale.ts';
import { addStatus } from './status.ts';

export const COMMANDS: readonly ((program: Command, cli: Cli) => void)[] = [
  addStatus,
  addExplain,
  addProof,
  addPlan,
  addScale,
  addRemove,
  addPause,
  addCancel,
  addForceRemove,
];
