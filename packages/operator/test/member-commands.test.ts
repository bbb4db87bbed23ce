// Questions to a member right before an action.

import { createStoreClient } from '@marekvs/store-client';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createMemberCommands } from '../src/members/member-commands.ts';

describe('whether a member has joined', () => {
  it('is no at an IPv6 address, where the server never listens: such a Pod does not keep its node for ever', async () => {
    const { hasJoined } = createMemberCommands({ store: createStoreClient() });
    expect(await hasJoined('fd00::12', new AbortController().signal)).to.equal(false);
  });
});
