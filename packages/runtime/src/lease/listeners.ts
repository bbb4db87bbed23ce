// A set of listeners. A listener that throws does not keep an event from the others.
import type { Logger } from '../log/logger.ts';

export interface Listeners<T> {
  /** @returns ends the subscription */
  add(listener: (news: T) => void): () => void;
  emit(news: T): void;
}

/** @param what they listen to, for the log */
export function createListeners<T>(what: string, logger: Logger): Listeners<T> {
  const listeners = new Set<(news: T) => void>();
  return {
    add(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    emit(news) {
      for (const listener of listeners) {
        try {
          listener(news);
        } catch (err) {
          logger.error(`A listener of ${what} failed`, { err });
        }
      }
    },
  };
}
