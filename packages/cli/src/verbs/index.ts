// Every command, in the order of the help.

import type { Command } from 'commander';
import type { Cli } from '../connection/cli.ts';
import { addAcknowledge } from './acknowledge/command.ts';
import { addAdopt } from './adopt/command.ts';
import { addAuth } from './auth/command.ts';
import { addAutoscale } from './autoscale/command.ts';
import { addCancel } from './cancel/command.ts';
import { addCompletion } from './completion/command.ts';
import { addConnect } from './connect/command.ts';
import { addExplain } from './explain/command.ts';
import { addForceRemove } from './force-remove/command.ts';
import { addHibernate } from './hibernate/command.ts';
import { addOperators } from './operators/command.ts';
import { addPause } from './pause/command.ts';
import { addPlan } from './plan/command.ts';
import { addProof } from './proof/command.ts';
import { addRelease } from './release/command.ts';
import { addRemove, addUnmark } from './remove/command.ts';
import { addReport } from './report/command.ts';
import { addRestart } from './restart/command.ts';
import { addRollout } from './rollout/command.ts';
import { addScale } from './scale/command.ts';
import { addStatus } from './status/command.ts';
import { addSuspend } from './suspend/command.ts';
import { addTop } from './top/command.ts';
import { addValidate } from './validate/command.ts';
import { addVerify } from './verify/command.ts';
import { addVolumes } from './volumes/command.ts';

export const COMMANDS: readonly ((program: Command, cli: Cli) => void)[] = [
  addStatus,
  addExplain,
  addProof,
  addVerify,
  addPlan,
  addAutoscale,
  addScale,
  addRemove,
  addUnmark,
  addRestart,
  addPause,
  addHibernate,
  addSuspend,
  addCancel,
  addRollout,
  addForceRemove,
  addAcknowledge,
  addAdopt,
  addRelease,
  addAuth,
  addVolumes,
  addConnect,
  addTop,
  addOperators,
  addValidate,
  addReport,
  addCompletion,
];
