// What users and hosts do to a cluster: kubectl's verbs, signals to members, network cuts. One line of transcript each.

import { type MarekvsClusterSpec, parseNodeId } from '@marekvs/api';
import { CLUSTERS, NAME, NAMESPACE, WorldView } from './world-view.ts';

export class WorldHands extends WorldView {
  /** What `kubectl apply` of a cluster does. */
  apply(spec: Partial<MarekvsClusterSpec> = {}): void {
    this.kube.transcript.add('user', `applies ${NAME} ${JSON.stringify(spec)}`);
    this.kube.server.apply(CLUSTERS, 'kubectl', {
      metadata: { name: NAME, namespace: NAMESPACE },
      spec: { image: 'marekvs:test', ...spec },
    });
  }

  /** What `kubectl patch` of a cluster's spec does: null removes a field. */
  edit(spec: Readonly<Record<string, unknown>>): void {
    this.kube.transcript.add('user', `edits ${NAME} ${JSON.stringify(spec)}`);
    this.kube.server.patch(CLUSTERS, { namespace: NAMESPACE, name: NAME }, { spec });
  }

  /** What `kubectl replace` of a cluster does: this is the whole spec. */
  replace(spec: MarekvsClusterSpec): void {
    this.kube.transcript.add('user', `replaces the spec of ${NAME} by ${JSON.stringify(spec)}`);
    const live = this.kube.server.get(CLUSTERS, { namespace: NAMESPACE, name: NAME });
    this.kube.server.update(CLUSTERS, { ...live, spec });
  }

  /** What `kubectl delete` does. */
  removeObject(resource: string, name: string): void {
    this.kube.transcript.add('user', `deletes ${resource} ${name}`);
    const id = resource === 'pods' ? parseNodeId(NAME, name) : undefined;
    if (id !== undefined) this.noteStrike(id);
    this.kube.server.remove(resource, { namespace: NAMESPACE, name });
  }

  annotate(resource: string, name: string, annotations: Readonly<Record<string, string>>): void {
    this.kube.transcript.add('user', `annotates ${resource} ${name} ${JSON.stringify(annotations)}`);
    this.kube.server.patch(resource, { namespace: NAMESPACE, name }, { metadata: { annotations } });
  }

  /** What `kubectl label --overwrite` does. */
  label(resource: string, name: string, labels: Readonly<Record<string, string>>): void {
    this.kube.transcript.add('user', `labels ${resource} ${name} ${JSON.stringify(labels)}`);
    this.kube.server.patch(resource, { namespace: NAMESPACE, name }, { metadata: { labels } });
  }

  /** SIGSTOP to a node's process. */
  freeze(id: number): void {
    this.kube.transcript.add('world', `freezes ${this.processOf(id)}`);
    this.kube.network.freeze(this.processOf(id));
    this.noteStrike(id);
  }

  thaw(id: number): void {
    this.kube.transcript.add('world', `thaws ${this.processOf(id)}`);
    this.kube.network.thaw(this.processOf(id));
    this.noteStrike(id);
  }

  /** SIGKILL to a node's process: its kubelet starts it again on its volume. */
  kill(id: number): void {
    this.kube.transcript.add('world', `kills ${this.processOf(id)}`);
    this.kube.network.kill(this.processOf(id));
    this.noteStrike(id);
  }

  /** A host runs out of memory: its kubelet evicts the Pod of a node, which stays as Failed. */
  evict(id: number): void {
    this.kube.transcript.add('kubelet', `evicts ${NAME}-${id}`);
    this.noteStrike(id);
    this.kube.kubelet.lifeOf(this.pod(id)?.metadata.uid ?? '')?.evict();
  }

  /** Sets the simulator's knobs of one running member. */
  setKnobs(id: number, knobs: Readonly<Record<string, unknown>>): void {
    this.kube.transcript.add('world', `sets ${JSON.stringify(knobs)} on ${this.processOf(id)}`);
    this.kube.network.member(this.processOf(id)).setKnobs(knobs);
  }

  /** Binds the volume of every node to the host its Pod is on. */
  bindVolumes(): void {
    const { server } = this.kube;
    for (const id of this.nodeIds()) {
      const host = String(this.pod(id)?.spec?.nodeName ?? '');
      const name = String(this.claim(id)?.spec?.volumeName ?? '');
      if (host === '' || name === '' || server.find('persistentvolumes', { name }) !== undefined) continue;
      const matchExpressions = [{ key: 'kubernetes.io/hostname', operator: 'In', values: [host] }];
      server.create('persistentvolumes', {
        metadata: { name, labels: { 'kubernetes.io/hostname': host } },
        spec: { nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } } },
      });
    }
  }

  /** Gives every node a PersistentVolume that any host can mount. */
  freeVolumes(): void {
    const { server } = this.kube;
    for (const id of this.nodeIds()) {
      const name = String(this.claim(id)?.spec?.volumeName ?? '');
      if (name !== '' && server.find('persistentvolumes', { name }) === undefined)
        server.create('persistentvolumes', { metadata: { name }, spec: {} });
    }
  }

  /** The host under the Pod of a node. */
  hostOf(id: number): string {
    return String(this.pod(id)?.spec?.nodeName ?? '');
  }

  failHost(host: string): void {
    this.kube.transcript.add('world', `${host} is off`);
    this.kube.hosts.fail(host);
  }

  returnHost(host: string): void {
    this.kube.transcript.add('world', `${host} is on again`);
    this.kube.hosts.comeBack(host);
  }

  /** What `kubectl delete node` does. */
  removeHost(host: string, isCollected: boolean): void {
    this.kube.transcript.add('user', `deletes node ${host}`);
    this.kube.hosts.removeNode(host, isCollected);
  }

  /** What `kubectl cordon` does, and `uncordon`. */
  cordonHost(host: string, isCordoned = true): void {
    this.kube.transcript.add('user', `${isCordoned ? 'cordons' : 'uncordons'} ${host}`);
    this.kube.server.patch('nodes', { name: host }, { spec: { unschedulable: isCordoned ? true : null } });
    if (!isCordoned) this.kube.kubelet.retryPlacement();
  }

  labelHost(host: string, key: string, value: string): void {
    this.kube.transcript.add('user', `kubectl label --overwrite node ${host} ${key}=${value}`);
    this.kube.server.patch('nodes', { name: host }, { metadata: { labels: { [key]: value } } });
    this.kube.kubelet.retryPlacement();
  }

  /** Taints a host for a drain without cordoning it, as autoscalers do; or removes the taint. */
  taintForDrain(host: string, key: string, effect: string, isOn = true): void {
    this.kube.transcript.add('world', `${isOn ? 'taints' : 'untaints'} ${host} ${key}:${effect}`);
    this.kube.server.patch('nodes', { name: host }, { spec: { taints: isOn ? [{ key, effect }] : null } });
    if (!isOn) this.kube.kubelet.retryPlacement();
  }

  taintHost(host: string): void {
    this.kube.transcript.add('user', `taints node ${host} out-of-service`);
    this.kube.hosts.taintOutOfService(host);
  }

  /** Cuts two members from each other until `heal`. */
  cut(a: number, b: number): void {
    this.kube.transcript.add('world', `cuts ${a} from ${b}`);
    this.kube.network.cut(this.processOf(a), this.processOf(b));
    this.kube.network.cut(this.processOf(b), this.processOf(a));
  }

  heal(): void {
    this.kube.transcript.add('world', 'heals the network');
    this.kube.network.heal();
  }
}
