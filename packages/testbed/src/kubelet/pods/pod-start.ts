// From a Pod to a running container: it is given a host and an address, and its container is started; or why not yet,
// and when to try again.
import { isConflict, isNotFound } from '@marekvs/runtime';
import { type StartOutcome, startContainer } from '../containers/container-start.ts';
import type { MemberRunner } from '../runners/member-runner.ts';
import { RETRY_MS, SETTLE_MS, type WorkerParts } from './worker-ports.ts';

const IMAGE_RETRY_MS = 10_000;

/** Gives the Pod a host. @returns whether it has one */
export async function bindPod({ ports, record, writer, pod }: WorkerParts): Promise<boolean> {
  const placement = ports.place(pod());
  if (placement.kind === 'unschedulable') {
    record.unschedulable = placement.message;
    writer.touch(SETTLE_MS);
    return false;
  }
  record.unschedulable = undefined;
  // Set before the answer arrives, so that the next Pod is not placed as if this one were not there.
  record.nodeName = placement.nodeName;
  try {
    await ports.api.bind(pod(), placement.nodeName);
    return true;
  } catch (err) {
    record.nodeName = undefined;
    if (isNotFound(err) || isConflict(err)) return false;
    throw err;
  }
}

/** Tries to start the container of a Pod that has a host. */
export function startPod(parts: WorkerParts, nodeName: string, runner: MemberRunner): Promise<StartOutcome> {
  const { ports, container, record, now } = parts;
  const pod = parts.pod();
  if (record.ip === undefined) {
    record.ip = ports.takeAddress();
    record.startTime = now();
    ports.onChanged();
  }
  const { namespace } = pod.metadata;
  return startContainer({
    pod,
    container,
    nodeName,
    hostIp: ports.hostIpOf(nodeName),
    podIp: record.ip,
    attempt: record.starts,
    api: ports.api,
    volumes: ports.volumes,
    runner,
    findClaim: (name) => ports.findClaim(namespace, name),
    resolveName: (name) => ports.resolveName(name, namespace),
  });
}

/** What is shown of a start that has to wait, and how long the pause is: longer with every pull that fails. */
export class StartAttempts {
  #imageFailures = 0;

  next(reason: string): { readonly reason: string; readonly pauseMs: number } {
    if (reason !== 'ErrImagePull') return { reason, pauseMs: RETRY_MS };
    this.#imageFailures += 1;
    const pauseMs = IMAGE_RETRY_MS * Math.min(30, 2 ** (this.#imageFailures - 1));
    return { reason: this.#imageFailures > 1 ? 'ImagePullBackOff' : reason, pauseMs };
  }
}
