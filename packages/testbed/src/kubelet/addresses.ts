// Hands out one address of 127.<octet>.0.0/16 per Pod. Pure; ports.ts makes sure that the octet is ours alone.

export interface AddressPool {
  /** @throws RangeError when all are in use */
  take(): string;
  giveBack(address: string): void;
}

const FIRST = 1;
/** 127.x.254.y are the hosts, 127.x.255.y the range's own holder. */
const COUNT = 254 * 254;

/** Goes round the range, so that an address is not reused while old connections to it still end. */
export function createAddressPool(octet: number): AddressPool {
  const used = new Set<string>();
  let next = 0;
  return {
    take() {
      for (let tried = 0; tried < COUNT; tried++) {
        const index = next;
        next = (next + 1) % COUNT;
        const address = `127.${octet}.${Math.floor(index / 254)}.${(index % 254) + FIRST}`;
        if (used.has(address)) continue;
        used.add(address);
        return address;
      }
      throw new RangeError(`all ${COUNT} addresses of 127.${octet}.0.0/16 are in use`);
    },
    giveBack(address) {
      used.delete(address);
    },
  };
}
