// Which password is asked for and which is in force. Running members may require another one for a while.

import type { MarekvsClusterSpec } from '../objects/cluster.ts';
import type { AuthInForce, InForce, PendingChange, Waits } from './in-force.ts';
import { distribution, isSame, listed, restOf } from './pending-values.ts';
import type { TemplateField } from './spec-fields.ts';

/** What new Pods are started with is in force. */
export function authChange(field: TemplateField, { template, nodes, auth, spec }: InForce): readonly PendingChange[] {
  const wanted = field.read(template);
  const running = nodes.flatMap(({ template: own }) => (own === undefined ? [] : [field.read(own)]));
  const isAnother = running.some((value) => !isSame(value, wanted));
  const isMissing = wanted !== undefined && auth.secret === 'missing';
  const { openNodes, oldNodes } = auth;
  if (!isAnother && !isMissing && openNodes.length === 0 && oldNodes.length === 0) return [];
  const asked = field.text(wanted, undefined);
  const isOfOldText = !isAnother && openNodes.length === 0 && oldNodes.length > 0 && !isMissing;
  const texts = running.map((value) => field.text(value, wanted));
  return [
    {
      field: field.path,
      asked: isOfOldText && wanted !== undefined ? `${asked}, as it is now` : asked,
      effective: isOfOldText
        ? `another password on ${listed(oldNodes)}`
        : effectiveAuth(auth, texts, isAnother, isMissing),
      ...authWaits(asked, wanted !== undefined, auth, spec),
    },
  ];
}

function effectiveAuth(auth: AuthInForce, texts: readonly string[], isAnother: boolean, isMissing: boolean): string {
  return auth.openNodes.length > 0 || isMissing ? openText(auth, texts, isAnother) : distribution(texts);
}

/** Why members cannot be given the password, or what is being done. */
function authWaits(
  asked: string,
  isWanted: boolean,
  { secret, openNodes, oldNodes }: AuthInForce,
  spec: MarekvsClusterSpec,
): Waits {
  const unusable = isWanted ? UNUSABLE_SECRET[secret] : undefined;
  if (unusable !== undefined) return { ...unusable, why: `${asked} ${unusable.why}`, needsPerson: true };
  const rest = restOf(spec);
  if (rest !== undefined) return rest;
  const behind = [...openNodes, ...oldNodes];
  const giving = isWanted ? 'are being given it' : 'are being told to require none';
  const why =
    behind.length > 0
      ? `running members ${giving}, without a restart; not yet ${listed(behind)}`
      : 'running members are asked which password they require; once all require this one, new Pods start with it';
  return { reason: 'PasswordRotating', why, wayOut: 'wait a few seconds', needsPerson: false };
}

const UNUSABLE_SECRET: Readonly<Partial<Record<AuthInForce['secret'], Pick<Waits, 'reason' | 'why' | 'wayOut'>>>> = {
  missing: {
    reason: 'SecretMissing',
    why: 'is not there',
    wayOut: 'create the Secret with that key, or take spec.auth out',
  },
  invalid: {
    reason: 'PasswordInvalid',
    why: 'cannot be a password of a member',
    wayOut: 'put one there without NUL bytes, as UTF-8, of at most 131,051 bytes, or set spec.auth back',
  },
  forbidden: {
    reason: 'SecretNotReadable',
    why: 'may not be read by the operator',
    wayOut: 'kubectl mkv auth grant --apply, or set spec.auth back',
  },
};

function openText({ openNodes }: AuthInForce, texts: readonly string[], isAnother: boolean): string {
  if (openNodes.length > 0) return `no password on ${listed(openNodes)}`;
  if (texts.length === 0) return 'no password';
  // Otherwise members were started with the Secret that is asked for and is gone now: its old password is in force.
  return isAnother ? distribution(texts) : 'the password that members were started with';
}
