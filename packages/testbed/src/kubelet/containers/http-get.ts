// One GET to a Pod, as probes and preStop hooks make it: a status or nothing, within a time limit. The body is not
// read.
import { get } from 'node:http';

/** The status; undefined when nothing answered in time. */
export type HttpGet = (host: string, port: number, path: string, timeoutMs: number) => Promise<number | undefined>;

export const httpGet: HttpGet = (host, port, path, timeoutMs) =>
  new Promise((resolve) => {
    const request = get(
      { host, port, path, agent: false, headers: { 'user-agent': 'kube-probe/1.36' } },
      (response) => {
        clearTimeout(limit);
        resolve(response.statusCode);
        // A member may answer 200 and then hang: the body is not needed.
        response.destroy();
      },
    );
    const limit = setTimeout(() => request.destroy(), timeoutMs);
    request.once('error', () => undefined);
    request.once('close', () => {
      clearTimeout(limit);
      resolve(undefined);
    });
  });

/** As the kubelet reads it: 200 to 399. */
export function isProbeSuccess(status: number | undefined): boolean {
  return status !== undefined && status >= 200 && status < 400;
}
