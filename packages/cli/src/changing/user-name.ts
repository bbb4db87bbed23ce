// Answers: who is the user of this kubeconfig, according to the API server?

import { ApiError } from '@marekvs/runtime';
import type { Run } from '../connection/cli.ts';

interface Review {
  readonly status?: { readonly userInfo?: { readonly username?: string } };
}

/** The user name known to the API server; that of the login session when the API server does not tell. */
export async function userName(run: Run): Promise<string> {
  const { transport } = await run.connect();
  try {
    const review = await transport.request<Review>({
      verb: 'create',
      path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      resource: 'selfsubjectreviews.authentication.k8s.io',
      subject: 'selfsubjectreviews',
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
      signal: run.ports.signal,
    });
    return review.status?.userInfo?.username ?? sessionName(run);
  } catch (error) {
    if (error instanceof ApiError) return sessionName(run);
    throw error;
  }
}

function sessionName({ ports: { env } }: Run): string {
  return env.USER ?? env.USERNAME ?? 'an unknown user';
}
