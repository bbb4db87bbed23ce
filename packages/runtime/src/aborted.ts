// What follows from an abort: something to do, something to wait for, or the end of a wait.

/** Acts once, when the signal is aborted from now on. Call what is returned as soon as that is not wanted
 *  any more: signals live long. */
export function onAbort(signal: AbortSignal, act: (reason: unknown) => void): () => void {
  const listener = (): void => act(signal.reason);
  signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}

/** Can be ended by itself, and ends with `parent`, for its reason. In place of AbortSignal.any: Node holds a signal
 *  made by that which somebody listens to, and all that the listener reaches, until it is aborted; and a listener
 *  with a `signal` for good. */
export function createChildAbort(parent: AbortSignal): AbortController {
  const child = new AbortController();
  if (parent.aborted) child.abort(parent.reason);
  else
    onAbort(
      child.signal,
      onAbort(parent, (reason) => child.abort(reason)),
    );
  return child;
}

/** Resolves when the signal is aborted; at once when it already is. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** Waits for the promise. @throws the signal's reason when that is aborted before */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const release = onAbort(signal, aborted.reject);
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    release();
  }
}
