// Hands out one address of 127.<octet>.0.0/16 per Pod, and another one that is its loopback. Pure; ports.ts makes sure
// that the octet is ours alone.

export interface AddressPool {
  /** @throws RangeError when all are in use */
  take(): string;
  giveBack(address: string): void;
}

const FIRST = 1;
/** 127.x.0.y to 127.x.126.y are Pods, 127.x.127.y to 127.x.253.y their loopbacks, 127.x.254.y the hosts, 127.x.255.y
 *  the range's own holder. */
const SUBNETS = 127;
const COUNT = SUBNETS * 254;

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

/** Where the processes of a Pod listen that listen on 127.0.0.1, which all Pods share here. Nobody else is told. */
export function loopbackOf(address: string): string {
  const [a, b, subnet, host] = address.split('.');
  return [a, b, Number(subnet) + SUBNETS, host].join('.');
}
