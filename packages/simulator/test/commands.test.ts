import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { MemberNetwork } from '../src/index.ts';
import { CommandDecoder } from '../src/member/commands/resp-wire.ts';
import { slotOfBytes } from '../src/member/records/keys.ts';
import { holds, ids, keysHomedOn } from './support.ts';

describe('commands of a member', () => {
  let net: MemberNetwork;
  before(() => {
    net = new MemberNetwork({ seed: 1 });
    net.formed(ids(3));
  });

  for (const [words, answer] of [
    [['PING'], '+PONG\r\n'],
    [['ping', 'hi'], '$2\r\nhi\r\n'],
    [['SET', 'a{x}', 'b'], '+OK\r\n'],
    [['GET', 'a{x}'], '$1\r\nb\r\n'],
    [['APPEND', 'a{x}', 'cd'], ':3\r\n'],
    [['EXISTS', 'a{x}', 'none'], ':1\r\n'],
    [['DEL', 'a{x}', 'none'], ':1\r\n'],
    [['GET', 'a{x}'], '$-1\r\n'],
    [['SET', 'a'], "-ERR wrong number of arguments for 'set' command\r\n"],
    [['HSET', 'hash', 'f', 'v', 'g', 'w'], ':2\r\n'],
    [['HSET', 'hash', 'f', 'x'], ':0\r\n'],
    [['HGET', 'hash', 'f'], '$1\r\nx\r\n'],
    [['HEXPIRE', 'hash', '100', 'FIELDS', '2', 'f', 'none'], '*2\r\n:1\r\n:-2\r\n'],
    [['HPERSIST', 'hash', 'FIELDS', '2', 'f', 'g'], '*2\r\n:1\r\n:-1\r\n'],
    [['HDEL', 'hash', 'f', 'none'], ':1\r\n'],
    [['HGET', 'hash', 'f'], '$-1\r\n'],
    [['HSET', 'hash', 'f'], "-ERR wrong number of arguments for 'hset' command\r\n"],
    [['EXISTS', 'hash'], ':1\r\n'],
    [['DEL', 'hash'], ':1\r\n'],
    [['HGET', 'hash', 'g'], '$-1\r\n'],
    [['HSET', 'hash', 'h', 'new'], ':1\r\n'],
    [['HGET', 'hash', 'g'], '$-1\r\n'],
    [['SADD', 'set', 'm', 'n'], ':2\r\n'],
    [['SREM', 'set', 'm', 'none'], ':1\r\n'],
    [['SISMEMBER', 'set', 'm'], ':0\r\n'],
    [['SISMEMBER', 'set', 'n'], ':1\r\n'],
    [['ZADD', 'zset', '1.5', 'm'], ':1\r\n'],
    [['ZSCORE', 'zset', 'm'], '$3\r\n1.5\r\n'],
    [['ZREM', 'zset', 'm'], ':1\r\n'],
    [['SET', 's{x}', 'v', 'EX', '100'], '+OK\r\n'],
    [['TTL', 's{x}'], ':100\r\n'],
    [['PERSIST', 's{x}'], ':1\r\n'],
    [['TTL', 's{x}'], ':-1\r\n'],
    [['EXPIRE', 'set', '50'], ':1\r\n'],
    [['TTL', 'set'], ':50\r\n'],
    [['EXPIRE', 'none', '50'], ':0\r\n'],
    [['TTL', 'none'], ':-2\r\n'],
    [['INCR', 'n{x}'], ':1\r\n'],
    [['EXPIRE', 'n{x}', '50'], ':1\r\n'],
    [['INCR', 'n{x}'], ':2\r\n'],
    [['TTL', 'n{x}'], ':50\r\n'],
    [['CLUSTER', 'KEYSLOT', 'foo'], ':12182\r\n'],
    [['CLUSTER', 'MYID'], '$40\r\n0000000000000000000000000000000000000001\r\n'],
    [['AUTH', 'x'], '-ERR Client sent AUTH, but no password is set.\r\n'],
    [['CONFIG', 'GET', 'requirepass'], '*2\r\n$11\r\nrequirepass\r\n$0\r\n\r\n'],
    [['NOSUCH'], "-ERR unknown command 'NOSUCH'\r\n"],
  ] as const) {
    it(`${words.join(' ')} is answered with ${JSON.stringify(answer)}`, () => {
      expect(net.call(1, ...words)).to.equal(answer);
    });
  }

  it('on hashes through a member that is no home add to what the homes have', () => {
    const [key = ''] = keysHomedOn([1, 2], ids(3), 1);
    net.call(1, 'HSET', key, 'f', 'v');
    net.advance(200);
    net.call(3, 'HSET', key, 'g', 'w');
    expect(net.call(3, 'HDEL', key, 'f')).to.equal(':1\r\n');
    net.advance(200);
    expect(['f', 'g'].map((field) => net.call(2, 'HGET', key, field))).to.deep.equal(['$-1\r\n', '$1\r\nw\r\n']);
    expect(net.call(2, 'DBSIZE'), 'a hash is one key').to.match(/^:\d+/);
  });

  it('GET at a member that is no home is answered by a home, and the member keeps a copy', () => {
    const [key = ''] = keysHomedOn([1, 2], ids(3), 1);
    net.call(1, 'SET', key, 'v');
    net.advance(200);
    expect(holds(net, 3, key)).to.equal(false);
    const before = net.metric(3, 'fetches_issued_total');
    expect(net.call(3, 'GET', key)).to.equal('$1\r\nv\r\n');
    expect(holds(net, 3, key)).to.equal(true);
    expect(net.metric(3, 'fetches_issued_total')).to.equal(before + 1);
  });

  it('in a pipeline are answered in order even when one of them needs a home', () => {
    const [far = ''] = keysHomedOn([2, 3], ids(3), 1);
    const client = net.connect(1);
    client.send('GET', far);
    client.send('PING');
    expect(client.received).to.equal('');
    net.advance(100);
    expect(client.received).to.equal('$-1\r\n+PONG\r\n');
  });

  it('on open connections need no password that was set later', () => {
    const old = net.connect(2);
    expect(old.call('CONFIG', 'SET', 'requirepass', 'secret')).to.equal('+OK\r\n');
    expect(old.call('PING')).to.equal('+PONG\r\n');
    const fresh = net.connect(2);
    expect(fresh.call('PING')).to.equal('-NOAUTH Authentication required.\r\n');
    expect(fresh.call('AUTH', 'wrong')).to.match(/^-WRONGPASS /);
    expect(fresh.call('HELLO', '3')).to.match(/^-NOAUTH HELLO must be called/);
    expect(fresh.call('HELLO', '3', 'AUTH', 'default', 'secret')).to.match(/^%7\r\n/);
    expect(fresh.call('PING')).to.equal('+PONG\r\n');
  });

  it('are not counted when they are refused because the password is missing', () => {
    const before = net.member(2).metrics.commandCalls();
    net.call(2, 'GET', 'x');
    expect(net.member(2).metrics.commandCalls()).to.equal(before);
  });

  it('over HTTP, /ready, /alive and unknown paths, are answered like by the real server', () => {
    expect(net.http(1, '/ready?x=1')).to.deep.equal({ status: 200, contentType: 'text/plain', body: 'ready\n' });
    expect(net.http(1, '/alive')).to.include({ status: 200, body: 'alive\n' });
    expect(net.http(1, '/nosuch')).to.include({ status: 404, body: 'not found\n' });
    net.start(9, { knobs: { neverLeavesJoining: true }, seeds: [] });
    expect(net.http(9, '/ready')).to.include({ status: 503, body: 'not ready: None\n' });
    net.advance(1_000);
    expect(net.http(9, '/ready')).to.include({ status: 503, body: 'not ready: Some(Joining)\n' });
  });
});

describe('slots and bytes', () => {
  for (const [key, slot] of [
    ['foo', 12_182],
    ['bar', 5_061],
    ['hello', 866],
    ['a{foo}b', 12_182],
    ['{}foo', slotOfBytes('{}foo')],
  ] as const) {
    it(`${key} is in slot ${slot}`, () => {
      expect(slotOfBytes(key)).to.equal(slot);
    });
  }

  it('commands are the same wherever their bytes are split', () => {
    const bytes = '*2\r\n$3\r\nGET\r\n$4\r\na\r\nb\r\nPING\r\n*1\r\n$4\r\nQUIT\r\n';
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const decoder = new CommandDecoder();
      const commands = [bytes.slice(0, cut), bytes.slice(cut)].flatMap((part) => decoder.push(part).commands);
      expect(commands).to.deep.equal([['GET', 'a\r\nb'], ['PING'], ['QUIT']]);
    }
  });

  for (const garbage of ['*x\r\n', '*1\r\n+PING\r\n', '*1\r\n$-5\r\n', '*1\r\n$999999999999\r\n', '*99999999999\r\n']) {
    it(`${JSON.stringify(garbage)} is a protocol error`, () => {
      expect(new CommandDecoder().push(garbage).error).to.match(/^ERR Protocol error/);
    });
  }
});
