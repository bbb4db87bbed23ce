// PING, AUTH, HELLO, CLIENT, QUIT, INFO, CONFIG, DBSIZE, SHUTDOWN (docs/design/server.md#resp).

import { wrongArguments } from './commands-cluster.ts';
import { serverInfo } from './info-text.ts';
import type { Call, Command } from './resp-call.ts';
import { array, bulk, failure, integer, ok, type Reply } from './resp-wire.ts';

export const serverCommands: readonly (readonly [string, Command])[] = [
  ['ping', ({ args, answer }) => answer(args[0] === undefined ? { kind: 'simple', text: 'PONG' } : bulk(args[0]))],
  ['auth', (call) => call.answer(authenticate(call, call.args))],
  ['hello', (call) => call.answer(hello(call))],
  ['client', (call) => call.answer(client(call))],
  ['reset', ({ answer }) => answer({ kind: 'simple', text: 'RESET' })],
  ['quit', quit],
  ['info', ({ member, args, answer }) => answer(bulk(serverInfo(member, args[0]?.toLowerCase())))],
  ['config', (call) => call.answer(config(call))],
  ['dbsize', ({ member, answer }) => answer(integer(member.store.liveKeys()))],
  // The process exits at once, without an answer and without draining.
  ['shutdown', ({ member }) => member.exit(0)],
];

const wrongPassword = failure('WRONGPASS invalid username-password pair or user is disabled.');

function authenticate({ member, session }: Call, words: readonly string[]): Reply {
  const password = words.at(-1);
  if (password === undefined || words.length > 2) return wrongArguments('auth');
  if (member.requirepass === '') return failure('ERR Client sent AUTH, but no password is set.');
  if (password !== member.requirepass) return wrongPassword;
  session.isAuthenticated = true;
  return ok;
}

function hello(call: Call): Reply {
  const { session, args } = call;
  const version = args[0] ?? '2';
  if (version !== '2' && version !== '3') return failure('NOPROTO unsupported protocol version');
  const at = args.findIndex((word) => word.toLowerCase() === 'auth');
  if (at >= 0) {
    const reply = authenticate(call, args.slice(at + 1, at + 3));
    if (reply !== ok) return reply;
  }
  if (!session.isAuthenticated) {
    return failure('NOAUTH HELLO must be called with the client already authenticated');
  }
  session.protocol = version === '3' ? 3 : 2;
  return {
    kind: 'map',
    entries: [
      [bulk('server'), bulk('marekvs')],
      [bulk('version'), bulk('0.2.0')],
      [bulk('proto'), integer(session.protocol)],
      [bulk('id'), integer(session.id)],
      [bulk('mode'), bulk('cluster')],
      [bulk('role'), bulk('master')],
      [bulk('modules'), array([])],
    ],
  };
}

/** What libraries say about themselves is accepted; nothing else about connections exists. */
function client({ session, args }: Call): Reply {
  const subcommand = args[0]?.toUpperCase();
  if (subcommand === undefined) return wrongArguments('client');
  if (subcommand === 'SETNAME' || subcommand === 'SETINFO') return ok;
  if (subcommand === 'ID') return integer(session.id);
  return failure(`ERR CLIENT subcommand '${subcommand}' not supported`);
}

function quit({ session, answer }: Call): void {
  answer(ok);
  session.close();
}

/** Only requirepass does anything; other keys are accepted and ignored, as on the real server. */
function config({ member, args }: Call): Reply {
  const action = args[0]?.toLowerCase();
  const key = args[1]?.toLowerCase();
  if (key === undefined) return wrongArguments('config');
  if (action === 'get') {
    return array(key === 'requirepass' || key === '*' ? [bulk('requirepass'), bulk(member.requirepass)] : []);
  }
  if (action !== 'set' || args[2] === undefined) return wrongArguments('config');
  if (key === 'requirepass') member.requirepass = args[2];
  return ok;
}
