// The contract to which the simulated API server is held, run against a real one: an expectation that is changed there
// has to hold here.
// Own API server: its first version has to be a forgotten one, and nobody else may write.

import { connect, withTestbed } from '@marekvs/testbed';
import { after, before, describe } from 'mocha';
import { apiContract } from '../../packages/simulator/test/api-contract/api-contract.ts';

describe('the contract', () => {
  const testbed = withTestbed({ before, after }, { operator: false, kubelet: false });

  apiContract('of kube-apiserver', {
    deliberate: 'expected',
    start() {
      const transport = connect(testbed().controlPlane.adminCredentials, 'api-contract');
      return {
        transport,
        // Its own first version: no watch cache goes back that far.
        forgottenVersion: () => '1',
        pass: (work) => work(),
        stop: () => transport.close(),
      };
    },
  });
});
