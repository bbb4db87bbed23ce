// Answers: what is a stored revision called by now, where only the Secret of the password is another one? Members have
// that without a restart, so that what is known of an update does not end with it: that it has stopped, what it goes
// back to, that a person lets it go on. Pure.

import { type ClusterRecord, passwordSource } from '@marekvs/planner';
import type { RevisionView } from '../observation/views.ts';
import { type NodeStamp, templateHash } from './template.ts';

type Kept = Pick<RevisionView, 'hash' | 'template'>;

/** What is stored and written of an update, by revisions with the Secret that is in force. */
export function updateInForce(
  { update, rollout }: Pick<ClusterRecord, 'update' | 'rollout'>,
  stamp: NodeStamp,
  revisions: readonly Kept[],
): Pick<ClusterRecord, 'update' | 'rollout'> {
  const now = (hash: string | undefined) =>
    hash === undefined ? undefined : withSecretInForce(hash, stamp, revisions);
  const approved = now(rollout.approved);
  const revision = now(update?.revision);
  const previous = now(update?.previous);
  return {
    rollout: approved === rollout.approved ? rollout : { ...rollout, approved },
    update:
      update === undefined || revision === undefined || (revision === update.revision && previous === update.previous)
        ? update
        : { ...update, revision, ...(previous === undefined ? {} : { previous }) },
  };
}

/** The same revision where that is not asked for, and nobody has kept it. */
function withSecretInForce(hash: string, stamp: NodeStamp, revisions: readonly Kept[]): string {
  const template = revisions.find((one) => one.hash === hash)?.template;
  const { authSecretRef } = stamp.template;
  if (template === undefined || passwordSource(template.authSecretRef) === passwordSource(authSecretRef)) return hash;
  const { authSecretRef: _before, ...rest } = template;
  const now = templateHash({ ...rest, ...(authSecretRef === undefined ? {} : { authSecretRef }) });
  return now === stamp.hash || revisions.some((one) => one.hash === now) ? now : hash;
}
