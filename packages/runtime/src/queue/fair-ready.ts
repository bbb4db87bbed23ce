// Which ready key starts next. Groups (namespaces, tenants) take turns, high goes before low, low ages into high, and
// every second start goes to a key that has waited too long. Delays, retries and states are in queue.ts.
import { createFifo, type Fifo } from './fifo.ts';

export type Priority = 'high' | 'low';

/** One key's place in the line. Every wait gets a new ticket, so that an abandoned one is never mistaken for it. */
export interface Ticket {
  readonly key: string;
  readonly group: string;
  readonly readyAtMs: number;
  priority: Priority;
  /** Still in line. */
  isWaiting: boolean;
}

export interface FairReadyOptions {
  /** Keys running at once over all groups. */
  readonly concurrency: number;
  /** A low ticket becomes high after this many milliseconds. */
  readonly ageAfterMs: number;
  /** From this wait on a ticket takes part in the oldest-first turns. */
  readonly maxWaitMs: number;
}

/** Guarantee: while running keys finish, a ticket older than `maxWaitMs` starts before 2 × (older tickets + 1) further
 *  starts. Exception: an older ticket belongs to a group that already runs as many keys as it may; then only the turns
 *  of the groups bound the wait. */
export interface FairReady {
  push(ticket: Ticket): void;
  /** Makes a waiting low ticket high. */
  promote(ticket: Ticket): void;
  /** The next ticket to start; runs for its group until `finished`. Undefined when none waits or none may start. */
  take(nowMs: number): Ticket | undefined;
  finished(group: string): void;
  waiting(priority: Priority): number;
  readonly running: number;
  /** When the longest waiting ticket became ready. */
  oldestReadyAtMs(): number | undefined;
  /** Removes a waiting ticket. */
  withdraw(ticket: Ticket): void;
  /** Removes all waiting tickets; running ones stay. */
  clear(): void;
}

interface Group {
  readonly name: string;
  running: number;
  readonly lanes: Record<Priority, Lane>;
}

interface Lane {
  readonly tickets: Fifo<Ticket>;
  waiting: number;
  isInRing: boolean;
}

/** Up to this many groups, idle ones are kept: recreating a group costs more than the rest of a start. */
const MAX_IDLE_GROUPS = 1024;
/** Promotions in one `take`: bounds the time of one call after a list of many thousand objects. */
const MAX_PROMOTIONS = 64;

export function createFairReady(options: FairReadyOptions): FairReady {
  const { concurrency, ageAfterMs, maxWaitMs } = options;
  // A group whose passes hang may fill most slots while no other group needs them, but never the last quarter.
  const reservedSlots = Math.floor(concurrency / 4);
  const smallShare = Math.max(1, Math.floor(concurrency / 8));
  const groups = new Map<string, Group>();
  const rings: Record<Priority, Fifo<Group>> = { high: createFifo(), low: createFifo() };
  const waiting: Record<Priority, number> = { high: 0, low: 0 };
  const arrivals = createFifo<Ticket>();
  const lowArrivals = createFifo<Ticket>();
  let running = 0;
  let wasOldestTurn = false;

  function groupOf(name: string): Group {
    let group = groups.get(name);
    if (group === undefined) {
      group = { name, running: 0, lanes: { high: createLane(), low: createLane() } };
      groups.set(name, group);
    }
    return group;
  }

  function enterLane(ticket: Ticket): void {
    const group = groupOf(ticket.group);
    const lane = group.lanes[ticket.priority];
    lane.tickets.push(ticket);
    lane.waiting++;
    waiting[ticket.priority]++;
    if (!lane.isInRing) {
      lane.isInRing = true;
      rings[ticket.priority].push(group);
    }
  }

  function leaveLane(ticket: Ticket): void {
    const lane = groupOf(ticket.group).lanes[ticket.priority];
    lane.waiting--;
    waiting[ticket.priority]--;
    if (isMostlyGone(lane.tickets, lane.waiting))
      lane.tickets.retain((one) => one.isWaiting && one.priority === ticket.priority);
  }

  function promote(ticket: Ticket): void {
    if (!ticket.isWaiting || ticket.priority === 'high') return;
    leaveLane(ticket);
    ticket.priority = 'high';
    enterLane(ticket);
  }

  function promoteAged(nowMs: number): void {
    for (let i = 0; i < MAX_PROMOTIONS; i++) {
      const oldest = firstLive(lowArrivals, (ticket) => ticket.isWaiting && ticket.priority === 'low');
      if (oldest === undefined || nowMs - oldest.readyAtMs < ageAfterMs) return;
      lowArrivals.shift();
      promote(oldest);
    }
  }

  function mayStart(group: Group): boolean {
    const free = concurrency - running;
    return free > 0 && (free > reservedSlots || group.running < smallShare);
  }

  function start(ticket: Ticket): Ticket {
    const group = groupOf(ticket.group);
    leaveLane(ticket);
    ticket.isWaiting = false;
    group.running++;
    running++;
    if (isMostlyGone(arrivals, waiting.high + waiting.low)) arrivals.retain((one) => one.isWaiting);
    return ticket;
  }

  function takeOldest(nowMs: number): Ticket | undefined {
    const oldest = firstLive(arrivals, (ticket) => ticket.isWaiting);
    if (oldest === undefined || nowMs - oldest.readyAtMs < maxWaitMs) return undefined;
    return mayStart(groupOf(oldest.group)) ? start(oldest) : undefined;
  }

  function takeInTurn(priority: Priority): Ticket | undefined {
    const ring = rings[priority];
    for (let left = ring.size; left > 0; left--) {
      const group = ring.shift();
      if (group === undefined) return undefined;
      const lane = group.lanes[priority];
      if (lane.waiting === 0) {
        lane.isInRing = false;
        dropIfIdle(group);
      } else if (!mayStart(group)) {
        ring.push(group);
      } else {
        const ticket = firstLive(lane.tickets, (one) => one.isWaiting && one.priority === priority);
        lane.tickets.shift();
        ring.push(group);
        if (ticket !== undefined) return start(ticket);
      }
    }
    return undefined;
  }

  function dropIfIdle(group: Group): void {
    if (groups.size <= MAX_IDLE_GROUPS) return;
    if (group.running === 0 && !group.lanes.high.isInRing && !group.lanes.low.isInRing) groups.delete(group.name);
  }

  return {
    push(ticket) {
      arrivals.push(ticket);
      if (ticket.priority === 'low') lowArrivals.push(ticket);
      enterLane(ticket);
    },
    promote,
    take(nowMs) {
      if (running >= concurrency) return undefined;
      promoteAged(nowMs);
      wasOldestTurn = !wasOldestTurn;
      const oldest = wasOldestTurn ? takeOldest(nowMs) : undefined;
      return oldest ?? takeInTurn('high') ?? takeInTurn('low');
    },
    finished(name) {
      const group = groupOf(name);
      group.running--;
      running--;
      dropIfIdle(group);
    },
    waiting: (priority) => waiting[priority],
    get running() {
      return running;
    },
    oldestReadyAtMs: () => firstLive(arrivals, (ticket) => ticket.isWaiting)?.readyAtMs,
    withdraw(ticket) {
      if (!ticket.isWaiting) return;
      ticket.isWaiting = false;
      leaveLane(ticket);
    },
    clear() {
      arrivals.retain((ticket) => {
        if (ticket.isWaiting) leaveLane(ticket);
        ticket.isWaiting = false;
        return false;
      });
      lowArrivals.retain(() => false);
    },
  };
}

function createLane(): Lane {
  return { tickets: createFifo(), waiting: 0, isInRing: false };
}

/** Whether most entries of the line are tickets that left out of turn, so that a sweep pays. */
function isMostlyGone(line: Fifo<Ticket>, live: number): boolean {
  return line.size > 64 && line.size > 2 * live;
}

/** The first live ticket of the line; dead ones before it are dropped. */
function firstLive(line: Fifo<Ticket>, isLive: (ticket: Ticket) => boolean): Ticket | undefined {
  for (;;) {
    const ticket = line.peek();
    if (ticket === undefined || isLive(ticket)) return ticket;
    line.shift();
  }
}
