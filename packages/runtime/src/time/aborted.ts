// Helpers around AbortSignal: act on an abort, wait for one, or stop waiting because of one.

/** Calls `act` once, when the signal is aborted; never for a signal that is aborted already. Call the returned function
 *  as soon as the listener is not needed any more: signals live long. */
export function onAbort(signal: AbortSignal, act: (reason: unknown) => void): () => void {
  const listener = (): void => act(signal.reason);
  signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}

/** An AbortController that is also aborted with `parent`, for the same reason. Replaces AbortSignal.any: Node keeps a
 *  signal made by `any` that has a listener, and everything the listener reaches, until it is aborted; a listener added
 *  with a `signal` option is kept for good. */
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

/** Waits for the promise. @throws the signal's reason when the signal is aborted first */
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
