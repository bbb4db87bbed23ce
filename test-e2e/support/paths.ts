// Where collections are on the API server.

import { GROUP, VERSION } from '@marekvs/api';

export function corePath(namespace: string, plural: string): string {
  return `/api/v1/namespaces/${namespace}/${plural}`;
}

export function ownPath(namespace: string, plural: 'marekvsclusters' | 'marekvsnodes'): string {
  return `/apis/${GROUP}/${VERSION}/namespaces/${namespace}/${plural}`;
}

export function groupPath(group: string, namespace: string, plural: string): string {
  return `/apis/${group}/v1/namespaces/${namespace}/${plural}`;
}
