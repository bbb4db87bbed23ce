// Of undici the runtime needs the pool of connections and its requests; fetch, caches, WebSocket and mocks are left out. The agents are
// for requests of client-node itself, which are never made.

// @ts-expect-error: a file of the library without types of its own; those of the package describe it.
import request from 'undici/lib/api/api-request.js';
// @ts-expect-error
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
// @ts-expect-error
import UndiciPool from 'undici/lib/dispatcher/pool.js';

// As the library's own entry does with all of its methods.
Dispatcher.prototype.request = request;

export const Pool = UndiciPool;
export const Agent = undefined;
export const ProxyAgent = undefined;
