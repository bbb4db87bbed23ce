// A cluster whose members follow an upstream Redis, stored before that was refused: it is reported at all times, and
// everything but a removal goes on.

import { findCondition } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createWorld } from './support/fake-world.ts';

const FOLLOWING = { MAREKVS_REPLICAOF: 'redis:6379' };

describe('a stored cluster whose members follow an upstream', () => {
  const conditions = async (extraEnv: Record<string, string>) => {
    const w = createWorld();
    w.apply({ nodes: 3, extraEnv });
    await w.live();
    return w;
  };

  it('is Ready with its members as they are, and Stalled, because a person has to act', async () => {
    const w = await conditions(FOLLOWING);
    const { conditions: found, message, phase } = w.cluster()?.status ?? {};
    expect(findCondition(found, 'Ready')?.status).to.equal('True');
    expect(findCondition(found, 'Stalled')).to.include({ status: 'True', reason: 'FollowsUpstream' });
    expect(phase).to.equal('Blocked');
    expect(message).to.include('lists and counters come out several times').and.not.include('redis:6379');
    const env = (w.get('pods', 'demo-0') as { spec?: { containers?: { env?: { name: string; value?: string }[] }[] } })
      ?.spec?.containers?.[0]?.env;
    expect(env?.find(({ name }) => name === 'MAREKVS_REPLICAOF')?.value).to.equal('redis:6379');
  });

  it('grows all the same', async () => {
    const w = await conditions(FOLLOWING);
    w.apply({ nodes: 4, extraEnv: FOLLOWING });
    await w.live();
    expect(w.list('marekvsnodes.marekvs.io')).to.have.lengthOf(4);
  });

  it('is as any other once the variable is taken out', async () => {
    const w = await conditions({ MAREKVS_REPLICAOF: '' });
    expect(findCondition(w.cluster()?.status?.conditions, 'Stalled')?.status).to.equal('False');
  });
});
