// Does a Pod really have the resources of the template it is labelled with? Everybody takes the template hash on a
// running Pod as the one in force, so it may only say what the host of the Pod has confirmed.

import { ANNOTATIONS, findCondition, type MarekvsCluster, type NodeTemplate } from '@marekvs/api';
import type { ApiObject } from '@marekvs/simulator';
import { askedResources, confirmedImage, confirmedResources, resourcesText } from '../cluster/pod-resources.ts';
import { CLUSTERS, REVISIONS, type WorldView } from '../cluster/world-view.ts';

interface StoredTemplate {
  readonly data?: { readonly template?: NodeTemplate };
}

export function judgeResizes({ kube }: WorldView): void {
  kube.server.onEvent(({ resource, object, previous }) => {
    if (resource !== 'pods' || previous === undefined || previous.metadata.uid !== object.metadata.uid) return;
    const before = previous.metadata.annotations?.[ANNOTATIONS.templateHash];
    const hash = object.metadata.annotations?.[ANNOTATIONS.templateHash];
    if (hash === undefined || hash === before) return;
    const said = templateOf(kube.server.list(REVISIONS), hash);
    const has = `${confirmedImage(object)} ${resourcesText(confirmedResources(object))}`;
    if (has !== (said === undefined ? 'nothing' : `${said.image} ${amountsOf(said.resources)}`))
      kube.violated(`${object.metadata.name} is called one of ${hash}, and its host says that it has ${has}`);
  });
  kube.server.onEvent(({ resource, object }) => {
    if (resource !== CLUSTERS) return;
    const { status, metadata } = object as ApiObject & MarekvsCluster;
    const isOver = findCondition(status?.conditions, 'RollingOut')?.reason === 'TemplateCurrent';
    const hash = status?.update?.revision;
    if (!isOver || hash === undefined || status?.operation !== undefined) return;
    const said = templateOf(kube.server.list(REVISIONS), hash);
    if (said === undefined) return;
    for (const pod of kube.server.list('pods', metadata.namespace)) {
      if (pod.metadata.annotations?.[ANNOTATIONS.templateHash] !== hash) continue;
      const asks = resourcesText(askedResources(pod));
      if (asks === amountsOf(said.resources)) continue;
      kube.violated(`${metadata.name} is called changed to ${hash} while ${pod.metadata.name} asks for ${asks}`);
    }
  });
}

function templateOf(revisions: readonly ApiObject[], hash: string): NodeTemplate | undefined {
  const found = revisions.find(({ metadata }) => metadata.name.endsWith(`-${hash}`));
  return (found as (ApiObject & StoredTemplate) | undefined)?.data?.template;
}

function amountsOf({ cpu, memory }: NodeTemplate['resources']): string {
  return `${cpu} ${memory} ${memory}`;
}
