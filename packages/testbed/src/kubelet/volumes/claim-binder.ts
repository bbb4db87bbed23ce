// Binds claims, and lets them grow: takes the step that claims.ts names, one at a time per claim.
import { type Clock, isConflict, isNotFound } from '@marekvs/runtime';
import type { KubeletApi } from '../objects/kubelet-api.ts';
import type { Claim } from '../objects/objects.ts';
import { nextClaimStep } from './claims.ts';

const RETRY_MS = 500;

export interface ClaimBinderOptions {
  readonly api: Pick<KubeletApi, 'patchClaim' | 'patchClaimStatus'>;
  readonly clock: Clock;
  /** False saves one write per claim. */
  readonly namesVolumes: boolean;
  find(key: string): Claim | undefined;
  onProblem(what: string, err: unknown): void;
}

/** @returns a function to call for every change of a claim. Our own write comes back as a change as well, and leads to
 *  no further step. */
export function createClaimBinder(options: ClaimBinderOptions): (key: string) => Promise<void> {
  const atWork = new Set<string>();

  async function serve(key: string): Promise<void> {
    const claim = options.find(key);
    const step = claim === undefined ? undefined : nextClaimStep(claim, options.namesVolumes);
    if (claim === undefined || step === undefined || atWork.has(key)) return;
    atWork.add(key);
    try {
      if (step.patch !== undefined) await options.api.patchClaim(claim, step.patch);
      await options.api.patchClaimStatus(claim, step.status);
    } catch (err) {
      if (isNotFound(err) || isConflict(err)) return;
      options.onProblem(`bind claim ${key}`, err);
      options.clock.after(RETRY_MS, () => void serve(key));
    } finally {
      atWork.delete(key);
    }
  }

  return serve;
}
