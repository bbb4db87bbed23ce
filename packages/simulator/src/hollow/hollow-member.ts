// One hollow member: :9121 at once, RESP once it is Active, on its own IP. Costs a few timers and sockets, no process.

import { MetricsBook } from '../member/basics/metrics-book.ts';
import { CommandDecoder, encodeReply } from '../member/commands/resp-wire.ts';
import type { HttpAnswer } from '../member/http/http-answers.ts';
import { underreplicated } from '../member/http/stats.ts';
import { ownedBy } from '../member/membership/placement.ts';
import { type Environment, hostOf, type MemberSettings, portOf, readSettings } from '../member/settings/settings.ts';
import { openHttpPort } from '../process/http-port.ts';
import type { OpenPort } from '../process/listener.ts';
import { createRespPort } from '../process/resp-port.ts';
import { type HollowState, hollowReply } from './hollow-commands.ts';
import type { HollowGroup } from './hollow-group.ts';
import { type HollowMesh, openHollowMesh } from './hollow-mesh.ts';

export interface HollowMember {
  /** Closes its ports and leaves the group. Idempotent. */
  stop(): void;
}

export interface HollowMemberOptions {
  readonly env: Environment;
  readonly groupFor: (settings: MemberSettings) => HollowGroup;
  readonly joinMs: number;
  readonly opsPerSecond: number;
}

/** Resolves once :9121 and the mesh port listen.
 *  @throws InvalidSettingError, or the error of the bind */
export async function startHollowMember(options: HollowMemberOptions): Promise<HollowMember> {
  const settings = readSettings(options.env);
  const group = options.groupFor(settings);
  const startedAtMs = Date.now();
  const member = {
    id: settings.nodeId,
    generation: Math.floor(startedAtMs / 1_000),
    gossipAddress: `${settings.advertiseIp}:${portOf(settings.gossipAddress)}`,
    meshAddress: `${settings.advertiseIp}:${portOf(settings.meshAddress)}`,
    respAddress: `${settings.advertiseIp}:${portOf(settings.respAddress)}`,
  };
  const state: HollowState = {
    id: member.id,
    generation: member.generation,
    replicas: settings.replicas,
    requirepass: settings.requirepass,
    get view() {
      return group.view;
    },
    get uptimeSeconds() {
      return Math.floor((Date.now() - startedAtMs) / 1_000);
    },
  };
  const onError = (error: Error) => process.stderr.write(`hollow ${settings.advertiseIp}: ${error.message}\n`);
  const resp = createRespPort({
    host: hostOf(settings.respAddress),
    port: portOf(settings.respAddress),
    run: (work) => work(),
    beforeWrite: () => undefined,
    onListening: () => undefined,
    onError,
    openSession: (port) => {
      const decoder = new CommandDecoder();
      const session = { isAuthenticated: state.requirepass === '' };
      return {
        receive(bytes) {
          for (const words of decoder.push(bytes).commands) {
            port.write(encodeReply(hollowReply(state, session, words)));
            if (words[0]?.toLowerCase() === 'quit') port.close();
          }
        },
        close: () => undefined,
      };
    },
  });
  const mesh = await openHollowMesh(settings.advertiseIp, portOf(settings.meshAddress), settings.nodeId);
  const metrics = hollowMetrics(state, mesh, options.opsPerSecond, startedAtMs);
  const http = await openHttp(settings.advertiseIp, portOf(settings.metricsAddress), (target) =>
    answer(target, state, metrics, () => group.setPhase(member.id, 'Leaving')),
  ).catch((error: unknown) => {
    mesh.close();
    throw error;
  });
  group.set({ ...member, phase: 'Joining' });
  const joining = setTimeout(() => {
    group.setPhase(member.id, 'Active');
    resp.open();
  }, options.joinMs);
  return {
    stop() {
      clearTimeout(joining);
      group.remove(member);
      resp.close();
      mesh.close();
      http.close();
    },
  };
}

function openHttp(host: string, port: number, reply: (target: string) => HttpAnswer): Promise<OpenPort> {
  return new Promise((resolve, reject) => {
    const http: OpenPort = openHttpPort({
      host,
      port,
      run: (work) => work(),
      answer: ({ target }) => reply(target),
      onListening: () => resolve(http),
      onError: reject,
    });
  });
}

function answer(target: string, state: HollowState, metrics: () => string, drain: () => void): HttpAnswer {
  const plain = (status: HttpAnswer['status'], body: string) => ({ status, contentType: 'text/plain', body });
  switch (target.split('?', 1)[0]) {
    case '/ready': {
      const phase = state.view.members.find((member) => member.id === state.id)?.phase;
      return phase === 'Joining' ? plain(503, 'not ready: Some(Joining)\n') : plain(200, 'ready\n');
    }
    case '/alive':
      return plain(200, 'alive\n');
    case '/drain':
      drain();
      return plain(200, 'draining\n');
    case '/metrics':
      return { status: 200, contentType: 'text/plain; version=0.0.4', body: metrics() };
    default:
      return plain(404, 'not found\n');
  }
}

/** Full-size text: four commands give the 11.7 KB of a real member. */
function hollowMetrics(state: HollowState, mesh: HollowMesh, opsPerSecond: number, startedAtMs: number): () => string {
  const book = new MetricsBook(state.id);
  for (const command of ['cluster', 'info', 'ping', 'set']) book.countCommand(command, 0.000_08, false);
  let counted = 0;
  return () => {
    const elapsedSeconds = (Date.now() - startedAtMs) / 1_000;
    const due = Math.floor(elapsedSeconds * opsPerSecond) - counted;
    if (due > 0) book.countCommand('set', 0.000_08, false, due);
    counted += due;
    const { members, placement } = state.view;
    book.set('ae_rounds_total', Math.floor(elapsedSeconds / 6));
    book.set('cluster_members', members.length);
    book.set('cluster_effective_rf_min', Math.min(state.replicas, placement.candidates.length));
    book.set('cluster_owned_partitions', ownedBy(placement, state.id).length);
    book.set('cluster_underreplicated_partitions', underreplicated(placement.candidates.length, state.replicas));
    book.set('mesh_peers', members.length - 1 + (mesh.isObserved ? 1 : 0));
    book.set('disk_total_bytes', 270_553_174_016);
    book.set('disk_avail_bytes', 79_477_342_208);
    book.set('uptime_seconds', Math.floor(elapsedSeconds));
    return book.render();
  };
}
