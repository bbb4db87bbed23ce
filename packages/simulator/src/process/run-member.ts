// The process driver: one member on real sockets, real time (times SIMULATOR_SPEED) and a real folder.
// Reads MAREKVS_* like the real server, and SIMULATOR_SPEED, SIMULATOR_HOSTS_FILE, SIMULATOR_CONTROL_ADDR, SIMULATOR_KNOBS.

import { InvalidSettingError } from '../member/errors.ts';
import { createSimulatedMember } from '../member/member.ts';
import { type Environment, hostOf, type MemberSettings, portOf, readSettings } from '../member/settings.ts';
import type { MemberWorld, MeshLink } from '../member/world.ts';
import { openControlPort } from './control-port.ts';
import { openFolder } from './folder.ts';
import { openGossipPort } from './gossip-port.ts';
import { lookUpHost } from './hosts-file.ts';
import { openHttpPort } from './http-port.ts';
import { dialMesh, type MeshEvents, openMeshPort } from './mesh-port.ts';
import { createRespPort } from './resp-port.ts';

/** Runs until the member exits, and ends the process then.
 *  @throws InvalidSettingError, InvalidKnobError, FolderLockedError before anything is open */
export function runMember(env: Environment): void {
  const settings = advertised(readSettings(env));
  const speed = readSpeed(env.SIMULATOR_SPEED);
  const fail = (error: Error) => {
    log(`member ${settings.nodeId} fails: ${error.message}`);
    process.exit(1);
  };
  const folder = openFolder(settings.dataDir, fail);
  const events: MeshEvents = {
    opened: (link: MeshLink) => member.meshOpened(link),
    received: (link, message) => member.meshReceived(link, message),
    closed: (link: MeshLink) => member.meshClosed(link),
  };
  const world: MemberWorld = {
    now: () => performance.now() * speed,
    wallNow: () => Date.now(),
    speed,
    random: Math.random,
    skipRandom: () => {},
    after(delayMs, run) {
      const timer = setTimeout(run, delayMs / speed);
      return () => clearTimeout(timer);
    },
    sendGossip: (to, message) => gossip.send(to, message),
    dialMesh: (to, opened) => dialMesh(to, settings.advertiseIp, events, opened),
    resolve: (host, found) => setImmediate(() => found(lookUpHost(env.SIMULATOR_HOSTS_FILE, host))),
    disk: folder,
    setRespOpen: (isOpen) => (isOpen ? resp.open() : resp.close()),
    exit(code) {
      folder.close();
      process.exit(code);
    },
    log,
  };
  const member = createSimulatedMember({ settings, world, knobs: readKnobs(env.SIMULATOR_KNOBS) });
  const gossip = openGossipPort(
    settings.gossipAddress,
    (message, fromHost) => member.receiveGossip(message, fromHost),
    fail,
  );
  openMeshPort(settings.meshAddress, settings.nodeId, events, fail);
  const resp = createRespPort({
    host: hostOf(settings.respAddress),
    port: portOf(settings.respAddress),
    openSession: (port) => member.openSession(port),
    beforeWrite: () => folder.flush(),
    onListening: () => log(`node ${settings.nodeId} serving`),
    onError: fail,
  });
  openHttpPort({
    host: hostOf(settings.metricsAddress),
    port: portOf(settings.metricsAddress),
    answer: ({ target }) => member.http(target),
    onError: fail,
  });
  const controlAddress = env.SIMULATOR_CONTROL_ADDR;
  if (controlAddress !== undefined && controlAddress !== '') openControlPort(controlAddress, member, fail);
  member.start();
  process.on('SIGTERM', () => member.terminate());
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

/** `auto` asks for a route to the Internet on the real server; here the gossip listener's address stands for it. */
function advertised(settings: MemberSettings): MemberSettings {
  if (settings.advertiseIp !== 'auto') return settings;
  const host = hostOf(settings.gossipAddress);
  return { ...settings, advertiseIp: host === '0.0.0.0' ? '127.0.0.1' : host };
}

function log(line: string): void {
  process.stdout.write(`${line}\n`);
}
