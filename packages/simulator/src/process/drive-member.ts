// Drives one member with real sockets, real time (times SIMULATOR_SPEED) and a folder on disk, in a process of its own
// or a shared one. Reads MAREKVS_* like the real server, and SIMULATOR_SPEED, SIMULATOR_HOSTS_FILE,
// SIMULATOR_CONTROL_ADDR, SIMULATOR_KNOBS.

import path from 'node:path';
import { InvalidSettingError } from '../member/basics/errors.ts';
import type { MemberWorld, MeshLink } from '../member/basics/world.ts';
import { createSimulatedMember } from '../member/member.ts';
import { type Environment, hostOf, type MemberSettings, portOf, readSettings } from '../member/settings/settings.ts';
import { openControlPort } from './control-port.ts';
import { openFolder } from './folder.ts';
import { openGossipPort } from './gossip-port.ts';
import { resolveHost } from './hosts-file.ts';
import { openHttpPort } from './http-port.ts';
import type { OpenPort } from './listener.ts';
import { dialMesh, type MeshEvents, openMeshPort } from './mesh-port.ts';
import type { Neighbour } from './neighbours.ts';
import type { Place } from './place.ts';
import { createRespPort } from './resp-port.ts';

export interface DrivenMember {
  /** SIGTERM. */
  terminate(): void;
  /** Like the kernel when a process ends: closes connections and listeners; unwritten data is lost. */
  abandon(): void;
}

/** Runs until the member exits.
 *  @throws InvalidSettingError, InvalidKnobError, FolderLockedError before anything is open */
export function driveMember(env: Environment, place: Place): DrivenMember {
  const given = readSettings(env);
  const settings = advertised({ ...given, dataDir: path.resolve(place.folder, given.dataDir) });
  const speed = readSpeed(env.SIMULATOR_SPEED);
  const knobs = readKnobs(env.SIMULATOR_KNOBS);
  const { run } = place;
  const fail = (error: Error) => {
    place.log(`member ${settings.nodeId} fails: ${error.message}`);
    place.exit(1);
  };
  const folder = openFolder(settings.dataDir, fail, place.locks);
  const events: MeshEvents = {
    opened: (link: MeshLink) => run(() => member.meshOpened(link)),
    received: (link, message) => run(() => member.meshReceived(link, message)),
    closed: (link: MeshLink) => run(() => member.meshClosed(link)),
  };
  const self: Neighbour = {
    gossipAddress: `${settings.advertiseIp}:${portOf(settings.gossipAddress)}`,
    meshAddress: `${settings.advertiseIp}:${portOf(settings.meshAddress)}`,
    host: settings.advertiseIp,
    events,
    receiveGossip: (message, fromHost) => run(() => member.receiveGossip(message, fromHost)),
  };
  const world: MemberWorld = {
    now: () => performance.now() * speed,
    wallNow: () => Date.now(),
    speed,
    random: Math.random,
    skipRandom: () => {},
    after(delayMs, work) {
      let isCancelled = false;
      const timer = setTimeout(() => run(() => isCancelled || work()), delayMs / speed);
      return () => {
        isCancelled = true;
        clearTimeout(timer);
      };
    },
    sendGossip(to, message) {
      if (place.neighbours?.sendGossip(self, to, message) !== true) gossip.send(to, message);
    },
    dialMesh(to, opened) {
      const answer = (link: MeshLink | undefined) => run(() => opened(link));
      if (place.neighbours?.dialMesh(self, to, answer) !== true) dialMesh(to, settings.advertiseIp, events, answer);
    },
    resolve: (host, found) => void setImmediate(() => run(() => found(resolveHost(env.SIMULATOR_HOSTS_FILE, host)))),
    disk: folder,
    setRespOpen: (isOpen) => (isOpen ? resp.open() : resp.close()),
    exit(code) {
      folder.close();
      place.exit(code);
    },
    log: place.log,
  };
  const member = createSimulatedMember({ settings, world, knobs });
  const gossip = openGossipPort(settings.gossipAddress, self.receiveGossip, fail);
  const mesh = openMeshPort(settings.meshAddress, settings.nodeId, events, {
    run,
    onError: fail,
    hostile: () => member.knobs.hostile,
  });
  const resp = createRespPort({
    host: hostOf(settings.respAddress),
    port: portOf(settings.respAddress),
    run,
    openSession: (port) => member.openSession(port),
    beforeWrite: () => folder.flush(),
    onListening: () => place.log(`node ${settings.nodeId} serving`),
    onError: fail,
  });
  const http = openHttpPort({
    host: hostOf(settings.metricsAddress),
    port: portOf(settings.metricsAddress),
    run,
    answer: ({ target }) => member.http(target),
    isSlow: () => member.knobs.hostile.includes('slowBytes'),
    onError: fail,
  });
  const controlAddress = env.SIMULATOR_CONTROL_ADDR ?? '';
  const control = controlAddress === '' ? undefined : openControlPort(controlAddress, member, place, fail);
  const open: readonly (OpenPort | undefined)[] = [gossip, mesh, resp, http, control];
  place.neighbours?.add(self);
  member.start();
  return {
    terminate: () => run(() => member.terminate()),
    abandon() {
      place.neighbours?.remove(self);
      for (const port of open) port?.close();
      folder.abandon();
    },
  };
}

function readSpeed(text: string | undefined): number {
  const speed = text === undefined || text === '' ? 1 : Number(text);
  if (!(speed > 0 && speed <= 1_000))
    throw new InvalidSettingError('SIMULATOR_SPEED', `${text} is no number in (0, 1000]`);
  return speed;
}

function readKnobs(text: string | undefined): Readonly<Record<string, unknown>> {
  if (text === undefined || text === '') return {};
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null)
    throw new InvalidSettingError('SIMULATOR_KNOBS', 'want a JSON object');
  return Object.fromEntries(Object.entries(value));
}

/** For `auto` the real server asks for its route to the Internet; here it is the gossip listener's address. */
function advertised(settings: MemberSettings): MemberSettings {
  if (settings.advertiseIp !== 'auto') return settings;
  const host = hostOf(settings.gossipAddress);
  return { ...settings, advertiseIp: host === '0.0.0.0' ? '127.0.0.1' : host };
}
