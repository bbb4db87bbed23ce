// Readers of contents that register us as a peer of the member while they are open: the judgement of the mesh by a
// member's count of peers has to know.

import type { ContentClient } from '@marekvs/store-client';
import type { Sampler } from '../members/sampler.ts';

export function observedContents(contents: ContentClient, sampler: Pick<Sampler, 'observe'>): ContentClient {
  return {
    async open(address, options) {
      const gone = sampler.observe(address.host);
      try {
        const reader = await contents.open(address, options);
        return {
          digests: reader.digests.bind(reader),
          entries: reader.entries.bind(reader),
          records: reader.records.bind(reader),
          stream: reader.stream.bind(reader),
          close() {
            reader.close();
            gone();
          },
        };
      } catch (error) {
        gone();
        throw error;
      }
    },
  };
}
