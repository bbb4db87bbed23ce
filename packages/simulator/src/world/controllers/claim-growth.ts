// How volumes grow and change attributes: what admission refuses, what the provider does, and what is left to the host
// when a Pod starts. The name of the class of a claim begins with how it behaves: `fixed` cannot grow, `offline` needs
// a restart of its Pod, `vain` does not grow even then, `stuck` gets no further than resizing. All others grow while
// the Pod runs.

import { tryParseQuantity } from '@marekvs/api';
import type { CancelTimer } from '../../member/basics/world.ts';
import type { VirtualClock } from '../../memory/virtual-clock.ts';
import { type ApiInput, type ApiObject, ApiRefusal, type Json } from '../api-server/api-object.ts';
import type { MemoryApiServer } from '../api-server/api-server.ts';
import { serverTime } from '../api-server/server-time.ts';

export interface ClaimGrowthPorts {
  readonly server: MemoryApiServer;
  readonly clock: VirtualClock;
  readonly random: () => number;
}

interface ClaimSpec {
  readonly storageClassName?: string;
  readonly volumeAttributesClassName?: string;
  readonly resources?: { readonly requests?: { readonly storage?: string } };
}

interface ClaimCondition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string;
  readonly message?: string;
}

interface ClaimStatus {
  readonly phase?: string;
  readonly capacity?: { readonly storage?: string };
  readonly currentVolumeAttributesClassName?: string;
  readonly conditions?: readonly ClaimCondition[];
}

const CLAIMS = 'persistentvolumeclaims';

/** The status fields of a claim that has all it asks for. */
export function sizeOf(claim: ApiObject): Json {
  const storage = specOf(claim).resources?.requests?.storage;
  const attributes = specOf(claim).volumeAttributesClassName;
  return {
    ...(storage === undefined ? {} : { capacity: { storage } }),
    ...(attributes === undefined ? {} : { currentVolumeAttributesClassName: attributes }),
  };
}

/** Refuses with the message of the admission plugin PersistentVolumeClaimResize. @throws ApiRefusal 403 */
export function refuseGrowth(live: ApiObject, next: ApiInput): void {
  if (millisOf(next) <= millisOf(live)) return;
  const refuse = (why: string): never => {
    throw new ApiRefusal(403, 'Forbidden', `persistentvolumeclaims "${live.metadata.name}" is forbidden: ${why}`);
  };
  if (statusOf(live).phase !== 'Bound') refuse('Only bound persistent volume claims can be expanded');
  if (isOfClass(live, 'fixed'))
    refuse(
      'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
    );
}

/** The returned function is to be called for every change of a claim. */
export function growClaims({ server, clock, random }: ClaimGrowthPorts): (claim: ApiObject) => void {
  const under = new Map<string, CancelTimer>();

  function later(claim: ApiObject, delayMs: number, then: (live: ApiObject) => void): void {
    under.set(
      claim.metadata.uid,
      clock.after(delayMs, () => {
        under.delete(claim.metadata.uid);
        const live = server.find(CLAIMS, claim.metadata);
        if (live?.metadata.uid === claim.metadata.uid) then(live);
      }),
    );
  }

  function write(live: ApiObject, status: Json): void {
    server.patch(CLAIMS, live.metadata, { status }, 'status');
  }

  /** Whole seconds, as in times of the real API server. */
  function condition(type: string, message: string): ClaimCondition {
    const lastTransitionTime = serverTime(server.nowMs());
    return { type, status: 'True', lastTransitionTime, message };
  }

  function grow(live: ApiObject): void {
    if (isOfClass(live, 'stuck')) {
      write(live, { conditions: [condition('Resizing', '')] });
      return;
    }
    const text = 'Waiting for user to (re-)start a pod to finish file system resize of volume on node.';
    write(live, { conditions: [condition('FileSystemResizePending', text)] });
    if (!isOfClass(live, 'offline') && !isOfClass(live, 'vain'))
      later(live, 300 + random() * 2_000, (now) => finishGrowth(server, now));
  }

  return (claim) => {
    const { phase, conditions = [], currentVolumeAttributesClassName: current } = statusOf(claim);
    if (phase !== 'Bound' || claim.metadata.deletionTimestamp !== undefined || under.has(claim.metadata.uid)) return;
    const { volumeAttributesClassName: wanted } = specOf(claim);
    if (wanted !== current) later(claim, 300 + random() * 2_000, (live) => write(live, attributesOf(live)));
    else if (isBehind(claim) && conditions.length === 0) later(claim, 300 + random() * 2_000, grow);
  };
}

function attributesOf(claim: ApiObject): Json {
  return { currentVolumeAttributesClassName: specOf(claim).volumeAttributesClassName };
}

/** Completes the growth once the host has resized the file system, under a running Pod or before one starts. */
export function finishGrowth(server: MemoryApiServer, claim: ApiObject): void {
  const isPending = statusOf(claim).conditions?.some(({ type }) => type === 'FileSystemResizePending') === true;
  if (isPending && !isOfClass(claim, 'vain'))
    server.patch(CLAIMS, claim.metadata, { status: { ...sizeOf(claim), conditions: null } }, 'status');
}

/** The capacity of a volume in bytes; undefined before it exists. */
export function capacityBytes(claim: ApiObject): number | undefined {
  const parsed = tryParseQuantity(statusOf(claim).capacity?.storage ?? '');
  return parsed === undefined ? undefined : Number(parsed.millis / 1_000n);
}

function isBehind(claim: ApiObject): boolean {
  return millisOf(claim) > (tryParseQuantity(statusOf(claim).capacity?.storage ?? '0')?.millis ?? 0n);
}

function millisOf(claim: Pick<ApiInput, 'spec'>): bigint {
  return tryParseQuantity(specOf(claim).resources?.requests?.storage ?? '0')?.millis ?? 0n;
}

function isOfClass(claim: ApiObject, name: string): boolean {
  return specOf(claim).storageClassName?.startsWith(name) === true;
}

function specOf({ spec }: Pick<ApiInput, 'spec'>): ClaimSpec {
  return (spec ?? {}) as ClaimSpec;
}

function statusOf({ status }: ApiObject): ClaimStatus {
  return (status ?? {}) as ClaimStatus;
}
