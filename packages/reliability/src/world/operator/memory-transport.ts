// The runtime's transport over the API server in memory: requests take time each way, streams lag, and a test may drop
// a request's answer or its effect, or crash the process.

import { ApiError, type ApiRequest, type StreamRequest, type Transport, TransportError } from '@marekvs/runtime';
import {
  ApiRefusal,
  answerRequest,
  type KubeWorld,
  openWatch,
  type WatchCache,
  type WireAnswer,
} from '@marekvs/simulator';

/** A write as the audit log would show it. */
export interface WriteCall {
  /** 1, 2, …: counts the mutating calls of this process in the order they reach the server. */
  readonly number: number;
  readonly verb: ApiRequest['verb'];
  /** `pods`, `marekvsnodes.marekvs.io/status` */
  readonly resource: string;
  readonly name: string;
  /** Undefined for what is in no namespace. */
  readonly namespace: string | undefined;
  /** As sent: preconditions, patches, objects. */
  readonly body: unknown;
}

/** What happens to one write. `crash…`: the operator crashes then. `lose`: applied, but the answer is lost. `late`:
 *  given up by the client, and applied three seconds later. */
export type WriteFate = 'pass' | 'crashBefore' | 'crashAfter' | 'lose' | 'late' | 'conflict' | 'unavailable';

export interface MemoryTransportOptions {
  readonly world: Pick<KubeWorld, 'clock' | 'loop' | 'server' | 'transcript'>;
  readonly who: string;
  readonly random: () => number;
  isAlive(): boolean;
  crash(): void;
  fateOf(write: WriteCall): WriteFate;
  /** A planted fault of the operator: what reaches the server instead of a request. */
  readonly planted?: ((request: ApiRequest) => ApiRequest) | undefined;
  /** Milliseconds until a change of this resource is received. */
  lagMs(resource: string): number;
  /** All input passes through this: a frozen process takes nothing in. @default at once */
  readonly deliver?: ((run: () => void) => void) | undefined;
  /** Changes before this version are forgotten: a watch from there gets an error. Default: none are. */
  readonly oldestVersion?: (() => number) | undefined;
  /** The cache that serves a stream opening now; undefined: one that is never behind. */
  readonly cacheOf?: ((resource: string) => WatchCache | undefined) | undefined;
}

export interface MemoryTransport extends Transport {
  /** Ends every open stream as when its server dies; lines on their way are lost. Returns the number of streams. */
  cutStreams(): number;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const LATE_MS = 3_000;
const HOP_MS = 2;

export function createMemoryTransport(options: MemoryTransportOptions): MemoryTransport {
  const { world, who, random } = options;
  const { clock, loop, server, transcript } = world;
  const cuts = new Set<() => void>();
  let writes = 0;
  const hopMs = () => 1 + random() * 4;

  function after(ms: number, run: () => void): () => void {
    return clock.after(ms, () => {
      if (!options.isAlive()) return;
      loop.touch();
      run();
    });
  }

  const deliver = options.deliver ?? ((run: () => void) => run());

  function carryOut(request: ApiRequest): WireAnswer {
    if (request.verb === 'watch') throw new TypeError('a watch is a stream');
    return answerRequest(server, { ...request, verb: request.verb });
  }

  function note(request: ApiRequest, answer: WireAnswer, fate: WriteFate): void {
    const how = fate === 'pass' ? '' : ` (${fate})`;
    transcript.add(who, `${request.verb} ${request.resource} ${nameOf(request)} -> ${answer.code}${how}`);
  }

  /** The request reaches the server; `settle` receives the answer. */
  function arrive(request: ApiRequest, settle: (answer: WireAnswer | TransportError) => void): void {
    const reply = (answer: WireAnswer | TransportError) => after(hopMs(), () => deliver(() => settle(answer)));
    if (request.verb === 'get' || request.verb === 'list') {
      reply(carryOut(request));
      return;
    }
    writes += 1;
    const { verb, resource, body, path } = request;
    const namespace = /\/namespaces\/([^/?]+)\//.exec(path)?.[1];
    const fate = options.fateOf({ number: writes, verb, resource, name: nameOf(request), namespace, body });
    switch (fate) {
      case 'pass':
        break;
      case 'crashBefore':
        transcript.add(who, `${verb} ${resource} ${nameOf(request)}: dies before it`);
        options.crash();
        return;
      case 'conflict':
      case 'unavailable': {
        const answer = refusal(fate);
        note(request, answer, fate);
        reply(answer);
        return;
      }
      case 'late':
        transcript.add(who, `${verb} ${resource} ${nameOf(request)}: given up, and still under way`);
        // The sender may be gone by then; the request still arrives.
        clock.after(LATE_MS, () => note(request, carryOut(request), fate));
        reply(lost(request, 'timeout'));
        return;
      default:
        break;
    }
    const answer = carryOut(request);
    note(request, answer, fate);
    if (fate === 'crashAfter') options.crash();
    else reply(fate === 'lose' ? lost(request, 'reset') : answer);
  }

  return {
    request<T>(request: ApiRequest): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        const { signal } = request;
        if (signal?.aborted === true) {
          reject(signal.reason);
          return;
        }
        const onAbort = (): void => reject(signal?.reason);
        signal?.addEventListener('abort', onAbort, { once: true });
        const timeoutMs = request.timeoutMs ?? DEFAULT_TIMEOUT_MS;
        const endTimer = after(timeoutMs, () => deliver(() => reject(lost(request, 'timeout'))));
        after(hopMs(), () =>
          arrive(options.planted?.(request) ?? request, (answer) => {
            endTimer();
            signal?.removeEventListener('abort', onAbort);
            if (answer instanceof TransportError) reject(answer);
            else if (answer.code >= 300) reject(toApiError(request, answer));
            else resolve(JSON.parse(answer.text));
          }),
        );
      });
    },

    stream(request: StreamRequest): Promise<void> {
      return new Promise<void>((resolve, reject) => {
        request.signal.throwIfAborted();
        let close = (): void => {};
        const end = (settle: () => void): void => {
          cuts.delete(cut);
          close();
          settle();
        };
        const cut = (): void => {
          loop.touch();
          end(() => reject(lostStream(request)));
        };
        const refuse = ({ code, reason, message, causes }: ApiRefusal): void => {
          const refused = { status: code, reason, detail: message, causes };
          end(() => reject(new ApiError({ ...about({ ...request, verb: 'watch' }), ...refused })));
        };
        request.signal.addEventListener('abort', () => end(() => reject(request.signal.reason)), { once: true });
        // Draws no random number: host watches were added later, and the known seeds must keep their lives.
        const isOfHosts = request.resource === 'nodes';
        after(isOfHosts ? HOP_MS : hopMs(), () => {
          if (request.signal.aborted) return;
          cuts.add(cut);
          try {
            close = openWatch({
              server,
              clock,
              path: request.path,
              lagMs: () => (isOfHosts ? HOP_MS : options.lagMs(request.resource)),
              cache: isOfHosts ? undefined : options.cacheOf?.(request.resource),
              oldestVersion: options.oldestVersion,
              onOpen: () => request.onOpen?.(),
              onRefused(refusal) {
                if (!options.isAlive()) return;
                loop.touch();
                refuse(refusal);
              },
              onLine(line) {
                if (!options.isAlive()) return;
                loop.touch();
                deliver(() => {
                  try {
                    request.onLine(Buffer.from(line));
                  } catch (error) {
                    end(() => reject(error));
                  }
                });
              },
              onEnd() {
                if (!options.isAlive()) return;
                loop.touch();
                deliver(() => end(resolve));
              },
            });
          } catch (error) {
            if (!(error instanceof ApiRefusal)) throw error;
            refuse(error);
          }
        });
      });
    },

    cutStreams() {
      const open = [...cuts];
      for (const cut of open) cut();
      return open.length;
    },

    close: async () => {},
  };
}

function about({ verb, subject, path }: Pick<ApiRequest, 'verb' | 'subject' | 'path'>) {
  return { verb, subject, path };
}

/** The last part of `pods default/demo-0`. */
function nameOf({ subject }: { readonly subject: string }): string {
  return subject.split(/[ /]/).at(-1) ?? subject;
}

function lost(request: ApiRequest, phase: 'reset' | 'timeout'): TransportError {
  const { verb, path, subject } = request;
  return new TransportError(`${verb} ${subject}: ${phase}`, { verb, path, phase });
}

function lostStream({ path, subject }: StreamRequest): TransportError {
  return new TransportError(`watch ${subject}: reset`, { verb: 'watch', path, phase: 'reset' });
}

function refusal(fate: 'conflict' | 'unavailable'): WireAnswer {
  const [code, reason] = fate === 'conflict' ? [409, 'Conflict'] : [503, 'ServiceUnavailable'];
  return {
    code,
    text: JSON.stringify({ kind: 'Status', status: 'Failure', code, reason, message: 'as the test says' }),
  };
}

function toApiError(request: ApiRequest, { code, text }: WireAnswer): ApiError {
  const status = JSON.parse(text);
  return new ApiError({
    ...about(request),
    status: code,
    reason: status.reason ?? '',
    detail: status.message,
    causes: status.details?.causes,
  });
}
