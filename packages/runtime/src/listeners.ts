// Who wants to be told of something. One that fails keeps it from nobody else.
import type { Logger } from './logger.ts';

export interface Listeners<T> {
  /** Call what is returned when it does not want to be told any more. */
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
