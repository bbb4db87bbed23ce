// A password that changes: which ones are tried, what a member is told, and how a Secret is read. No password appears
// in an error.

import { spawnSync } from 'node:child_process';
import { ApiError, type KubeClient, unlessAborted } from '@marekvs/runtime';
import {
  type ClusterInfo,
  type MemberMetrics,
  StoreAuthError,
  type StoreClient,
  StoreProtocolError,
  type StoreSession,
  StoreUnreachableError,
} from '@marekvs/store-client';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createManualClock } from '../../runtime/test/support/manual-clock.ts';
import { createMemberCommands } from '../src/members/member-commands.ts';
import { createPasswords, ROTATION_WINDOW_MS, UNUSED_MS } from '../src/secrets/passwords.ts';
import { passwordOfKey } from '../src/secrets/secret-keys.ts';

const REF = { namespace: 'default', name: 'auth', key: 'password' };
const MEMBER = { ip: '10.0.0.2', nodeId: 2 };
const { signal } = new AbortController();
const base64 = (text: string | Uint8Array) => Buffer.from(text).toString('base64');

describe('the earlier passwords that are tried', () => {
  function rig(first: Readonly<Record<string, string>>) {
    const clock = createManualClock();
    let data = first;
    const client = { get: async () => ({ metadata: {}, data }) };
    const passwords = createPasswords(client as Partial<KubeClient> as KubeClient, clock);
    const put = (next: typeof first): void => {
      data = next;
    };
    return { clock, passwords, put };
  }
  const changed = async (...texts: readonly string[]) => {
    const one = rig({ password: base64('first') });
    await one.passwords.read(REF, false, signal);
    for (const text of texts) {
      one.put({ password: base64(text) });
      one.passwords.changed(REF);
      await one.passwords.read(REF, false, signal);
    }
    return one;
  };

  it('are none before the password has changed', async () => {
    expect((await changed()).passwords.before(REF)).to.deep.equal([]);
  });
  it('are those that were replaced, the latest first, without one that is in use again', async () => {
    expect((await changed('second', 'third')).passwords.before(REF)).to.deep.equal(['second', 'first']);
    expect((await changed('second', 'first')).passwords.before(REF)).to.deep.equal(['second']);
  });
  it('are tried for ten minutes', async () => {
    const { passwords, clock } = await changed('second');
    clock.advance(ROTATION_WINDOW_MS - 1);
    expect(passwords.before(REF)).to.deep.equal(['first']);
    clock.advance(1);
    expect(passwords.before(REF)).to.deep.equal([]);
  });
  it('include the previous one that the Secret keeps, which an operator needs that did not run during the change', async () => {
    const { passwords } = rig({ password: base64('second'), 'password-previous': base64('first') });
    await passwords.read(REF, false, signal);
    expect(passwords.before(REF)).to.deep.equal(['first']);
  });
  it('are those of the named key alone, whatever else changes in the Secret', async () => {
    const { passwords, put } = rig({ password: base64('first'), other: base64('a') });
    await passwords.read(REF, false, signal);
    put({ password: base64('first'), other: base64('b') });
    passwords.changed(REF);
    await passwords.read(REF, false, signal);
    expect(passwords.before(REF)).to.deep.equal([]);
  });
});

describe('a Secret that cannot be read right before a member is given its password', () => {
  /** Members were asked with the first password; every read from now on ends like this. */
  async function rig(fail: (signal: AbortSignal) => Promise<never>) {
    let isWell = true;
    const client = {
      get: async (_kind: unknown, _ref: unknown, options: { readonly signal: AbortSignal }) =>
        isWell ? { metadata: {}, data: { password: base64('first') } } : fail(options.signal),
    };
    const passwords = createPasswords(client as Partial<KubeClient> as KubeClient, createManualClock());
    await passwords.read(REF, false, signal);
    isWell = false;
    const heal = (): void => {
      isWell = true;
    };
    return { passwords, heal };
  }
  const unanswered = async (): Promise<never> => {
    throw new ApiError({ verb: 'get', subject: 's', path: '/', status: 500, reason: 'InternalError' });
  };

  it('leaves the members to be asked with the password that is known', async () => {
    const { passwords } = await rig(unanswered);
    const problem = await passwords.readNow(REF, signal).catch((error: unknown) => error);
    expect(problem).to.be.instanceOf(ApiError);
    expect(await passwords.read(REF, false, signal)).to.equal('first');
  });
  it('is not waited for when members are asked meanwhile', async () => {
    const { passwords } = await rig(() => new Promise(() => {}));
    void passwords.readNow(REF, signal);
    expect(await passwords.read(REF, false, signal)).to.equal('first');
  });
  it('is read again by the next pass when a pass ended during the read', async () => {
    const { passwords, heal } = await rig((ended) => unlessAborted(new Promise<never>(() => {}), ended));
    const pass = new AbortController();
    passwords.changed(REF);
    const reading = passwords.read(REF, false, pass.signal).catch((error: unknown) => error);
    pass.abort(new Error('the pass has ended'));
    expect(await reading).to.have.property('message', 'the pass has ended');
    heal();
    expect(await passwords.read(REF, false, signal)).to.equal('first');
  });
});

describe('a password in memory', () => {
  it('is read again when no member was asked with it for five minutes, since another replica may have led meanwhile', async () => {
    const clock = createManualClock();
    let data = { password: base64('first') };
    const client = { get: async () => ({ metadata: {}, data }) };
    const passwords = createPasswords(client as Partial<KubeClient> as KubeClient, clock);
    const read = () => passwords.read(REF, false, signal);
    await read();
    data = { password: base64('second') };
    for (let times = 0; times < 3; times += 1) {
      clock.advance(UNUSED_MS - 1);
      expect(await read(), 'it is in use').to.equal('first');
    }
    clock.advance(UNUSED_MS);
    expect(await read()).to.equal('second');
    expect(passwords.before(REF), 'members may want the one before').to.deep.equal(['first']);
  });
});

describe('the value of a key of a Secret', () => {
  it('is the password, with every blank in it', () => {
    expect(passwordOfKey({ a: base64(' x y\n') }, 'a')).to.deep.equal({ kind: 'password', password: ' x y\n' });
  });
  it('is missing when it is empty or absent', () => {
    expect(passwordOfKey({ a: '' }, 'a').kind).to.equal('missing');
    expect(passwordOfKey(undefined, 'a').kind).to.equal('missing');
  });
  it('cannot be a password when it has a NUL or is not text, and is not shown then', () => {
    for (const bytes of [Buffer.from('s3cret\0'), Buffer.from([0xff, 0xfe])]) {
      const found = passwordOfKey({ a: base64(bytes) }, 'a');
      expect(found.kind).to.equal('invalid');
      expect(JSON.stringify(found)).to.not.include('s3cret');
    }
  });
});

describe('a very long password', () => {
  // The longest that Linux accepts: `MAREKVS_REQUIREPASS=`, the password and a NUL are 128 KiB together.
  for (const [bytes, kind] of [
    [131_051, 'password'],
    [131_052, 'invalid'],
    [1_000_000, 'invalid'],
  ] as const)
    it(`of ${bytes} bytes is ${kind === 'password' ? 'accepted' : 'refused'}, as it is by Linux for a process`, () => {
      const password = 'x'.repeat(bytes);
      expect(passwordOfKey({ a: base64(password) }, 'a').kind).to.equal(kind);
      const { error } = spawnSync(process.execPath, ['--version'], { env: { MAREKVS_REQUIREPASS: password } });
      expect(error === undefined ? 'password' : 'invalid').to.equal(kind);
    });

  it('is measured in bytes, not in characters', () => {
    expect(passwordOfKey({ a: base64('é'.repeat(65_525)) }, 'a').kind).to.equal('password');
    expect(passwordOfKey({ a: base64('é'.repeat(65_526)) }, 'a').kind).to.equal('invalid');
  });
});

describe('a member that is given another password', () => {
  /** A member that wants this password. */
  const member = (wants: string, isDeaf = false) => answering({ wants, isDeaf, nodeId: 2 });
  function answering({ wants, isDeaf, nodeId }: { wants: string; isDeaf: boolean; nodeId: number | undefined }) {
    const state = { wants };
    const said: string[] = [];
    const sent: string[] = [];
    const store: Pick<StoreClient, 'drain' | 'clusterInfo' | 'session' | 'metrics'> = {
      drain: async () => {},
      metrics: async () => ({ nodeId }) as MemberMetrics,
      async clusterInfo({ password }, options) {
        if (password !== undefined) sent.push(password);
        if (state.wants === '') return {} as ClusterInfo;
        if (password !== state.wants) throw new StoreAuthError('wrongPassword');
        options?.onGuarded?.();
        return {} as ClusterInfo;
      },
      async session({ password = '' }) {
        sent.push(password);
        if (password !== state.wants) throw new StoreAuthError('wrongPassword');
        const session: StoreSession = {
          async commands(list) {
            for (const words of list) {
              said.push(words.slice(0, 3).join(' '));
              if (!isDeaf) state.wants = String(words[3]);
            }
            return [];
          },
          close: () => {},
          [Symbol.asyncDispose]: async () => {},
        };
        return session;
      },
    };
    return { state, said, sent, commands: createMemberCommands({ store }) };
  }
  const problem = (work: Promise<void>) =>
    work.then(
      () => undefined,
      (error: Error) => error,
    );

  it('gets one command, over a session with the earlier password that it accepts', async () => {
    const { state, said, commands } = member('older');
    await commands.setPassword(MEMBER, { next: 'new', before: ['old', 'older'] }, signal);
    expect([state.wants, said]).to.deep.equal(['new', ['CONFIG SET requirepass']]);
  });
  it('gets no command when it wants that password already', async () => {
    const { said, commands } = member('new');
    await commands.setPassword(MEMBER, { next: 'new', before: ['old'] }, signal);
    expect(said).to.deep.equal([]);
  });
  it('gets no command when it wants none and is to want none', async () => {
    const { said, commands } = member('');
    await commands.setPassword(MEMBER, { next: undefined, before: ['old'] }, signal);
    expect(said).to.deep.equal([]);
  });
  it('gets a password when it wants none, and has one removed when it wants one', async () => {
    const open = member('');
    await open.commands.setPassword(MEMBER, { next: 'new', before: ['old'] }, signal);
    expect(open.state.wants).to.equal('new');
    const guarded = member('old');
    await guarded.commands.setPassword(MEMBER, { next: undefined, before: ['old'] }, signal);
    expect(guarded.state.wants).to.equal('');
  });
  it('causes an error without passwords when it accepts none of them, or does not obey', async () => {
    for (const one of [member('another'), member('old', true)]) {
      const error = await problem(one.commands.setPassword(MEMBER, { next: 'n3w', before: ['old'] }, signal));
      expect(error).to.be.instanceOf(StoreAuthError);
      expect(String(error?.message)).to.not.match(/n3w|old/);
    }
  });
  for (const [what, nodeId] of [
    ['another member', 3],
    ['one that does not say which', undefined],
  ] as const)
    it(`is not sent any when ${what} answers in its place`, async () => {
      const { commands, sent, said } = answering({ wants: 'old', isDeaf: false, nodeId });
      const error = await problem(commands.setPassword(MEMBER, { next: 'n3w', before: ['old'] }, signal));
      expect(error).to.be.instanceOf(StoreProtocolError);
      expect([sent, said]).to.deep.equal([[], []]);
    });
  it('causes another error when it does not answer, since that says nothing about its password', async () => {
    const clusterInfo = async () => Promise.reject(new StoreUnreachableError('timeout', 'no answer'));
    const store = { drain: async () => {}, clusterInfo, session: clusterInfo, metrics: clusterInfo };
    const work = createMemberCommands({ store }).setPassword(MEMBER, { next: 'a', before: ['b'] }, signal);
    expect(await problem(work)).to.be.instanceOf(StoreUnreachableError);
  });
});
