// Every command, in the order of the help.

import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { addAcknowledge } from './acknowledge.ts';
import { addAdopt } from './adopt.ts';
import { addAuth } from './auth.ts';
import { addAutoscale } from './autoscale.ts';
import { addCancel } from './cancel.ts';
import { addCompletion } from './completion.ts';
import { addConnect } from './connect.ts';
import { addCrds } from './crds.ts';
import { addEvents } from './events.ts';
import { addExplain } from './explain.ts';
import { addForceRemove } from './force-remove.ts';
import { addHibernate } from './hibernate.ts';
import { addLogs } from './logs.ts';
import { addOperators } from './operators.ts';
import { addPause } from './pause.ts';
import { addPlan } from './plan.ts';
import { addProof } from './proof.ts';
import { addRelease } from './release.ts';
import { addRemove, addUnmark } from './remove.ts';
import { addReport } from './report.ts';
import { addRestart } from './restart.ts';
import { addRollout } from './rollout.ts';
import { addScale } from './scale.ts';
import { addStatus } from './status.ts';
import { addSuspend } from './suspend.ts';
import { addTop } from './top.ts';
import { addValidate } from './validate.ts';
import { addVerify } from './verify.ts';
import { addVolumes } from './volumes.ts';

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
  addLogs,
  addEvents,
  addValidate,
  addReport,
  addCrds,
  addCompletion,
];
