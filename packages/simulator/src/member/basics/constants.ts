// The server's timers and limits in member time (a driver divides by its speed). The source of each is the section of
// docs/design/server.md above its group, or "fit" where that section gives only an outcome and the figure was chosen to
// reproduce it.

export const partitionCount = 4096;
export const slotsPerPartition = 4;

// docs/design/server.md#gossip and #failure-detection
/** Gossip tick; also how often phi is judged and the view rebuilt. */
export const gossipTickMs = 500;
/** A digest goes to this many random live peers per tick, plus a seed. */
export const gossipFanout = 3;
/** Dead when phi exceeds this. */
export const phiThreshold = 8;
export const phiPriorMs = 2_000;
export const phiPriorWeight = 5;
export const phiWindow = 1_000;
export const phiMaxIntervalMs = 10_000;
/** A dead incarnation is told to others for 12 h and forgotten after 24 h. */
export const deadGossipedMs = 12 * 3_600_000;
export const deadKeptMs = 24 * 3_600_000;
/** Seed names are looked up at start and then only this often (H7). */
export const seedLookupMs = 60_000;

// docs/design/server.md#metrics and #data-folder
/** Stats gauges are set this often, first after one interval. */
export const statsIntervalMs = 2_000;
/** `alive:last` is stamped every min(gc_grace / 4, this). */
export const aliveStampMaxMs = 30_000;

// docs/design/server.md#forming
/** Fixed sleep before the first check of the join gate, which is then polled. */
export const gateSleepMs = 2_000;
export const gatePollMs = 250;
/** An all-Joining cohort opens at this age. */
export const coldSettleMs = 6_000;
/** Fit (0.5 s apart: 8 s with 3 members, 14 s with 5): a member that was this old when it first saw an Active member
 *  still opens at 6 s; a younger one bootstraps first. */
export const cohortAgeMs = 5_000;

// docs/design/server.md#a-closed-door
/** Fit: the gate opens this long after a gossip tick, so that a member drained ten times a second is never announced as
 *  Active, and one drained once a second is first home for 0.4-1.4 s. */
export const gateAfterTickMs = 100;

// docs/design/server.md#joining
/** Bootstrap retry tick, its back-off, and how long a donor ignores a repeated request. */
export const bootstrapTickMs = 2_000;
export const bootstrapBackoffMs = [5_000, 10_000, 20_000] as const;
export const donorDedupMs = 20_000;
/** Fit: one donor streams its partitions one after the other; two joiners of a lone first member
 *  take 37 s and four take 74 s; about 700 newly owned partitions arrive at Active members within 2 s. */
export const donorMsPerPartitionJoining = 5;
export const donorMsPerPartitionActive = 1.8;
/** MAREKVS_BOOTSTRAP_RATE_MB default, in bytes per ms. */
export const donorBytesPerMs = (64 * 1024 * 1024) / 1000;

// docs/design/server.md#anti-entropy
/** An anti-entropy round starts after this plus U(0, jitter). */
export const aeIntervalMs = 5_000;
export const aeJitterMs = 2_000;
/** Every third round also probes partitions held but not owned. */
export const strandedEvery = 3;
/** A cached root is recomputed after a write or after this long. */
export const rootCacheMs = 600_000;
/** Fit: listing a partition whose root differs, 256 scans on the real server. */
export const differingPartitionMs = 0.3;
/** Queue slots per peer; probes beyond are dropped and not counted. */
export const laneSlots = 4_096;
/** Fit: 20,000 keys of 4 members re-copied by anti-entropy 12-16 s after the exit. */
export const copyRecordsPerSecond = 350;

// docs/design/server.md#comparing-contents
/** The node number in the Hello of an observer; no member has it. */
export const observerNode = 65_535;
/** Stands for the bulk connection of the same number. */
export const observerBulk = 65_536;
/** Records in every page of a stream but the last. */
export const streamPage = 256;
/** Fit: each page is found by a scan from the beginning, so 16,384 records take 0.4 s. */
export const streamStepMs = 0.000_76;
/** Fit: all 4,096 digests of a member in 0.2 to 0.5 s, and with 100 records a partition in 1 s. */
export const digestCostMs = 0.06;
/** From 4.2 s for 256 scans of 16,384 records (below). */
export const scanCostPerRecordMs = 0.001;
/** One bucket of one partition: a scan of the whole partition. */
export const scanCostMs = 0.05;
/** Fit: listing a partition whose root differs takes 256 scans, which cost nothing up to so many records, 0.1 s at 60,
 *  and 4.2 s at 16,384. */
export const freeScanRecords = 16;
export const listCostPerRecordMs = 2.2;
export const manyScanRecords = 60;
export const listCostPerManyMs = 0.25;

// docs/design/server.md#push-replication and #what-pushing-misses
/** The push pump runs at most this long after a commit. */
export const pumpDelayMs = 50;
/** MAREKVS_REPL_WINDOW_BYTES. */
export const pushWindowBytes = 4 * 1024 * 1024;
/** Ring entries leave only by overflow. */
export const ringMaxOps = 262_144;
export const ringMaxBytes = 128 * 1024 * 1024;
/** Larger frames are dropped with a log line only. */
export const maxFrameBytes = 8 * 1024 * 1024;
/** The commit sequence jumps by this on a restart, hence the phantom backlog. */
export const restartSequenceJump = 1_000_000;

// docs/design/server.md#settings and #h5
/** Mesh ping and idle close; a departed address is redialled at least this often. */
export const meshPingMs = 1_000;
export const meshIdleMs = 3_000;
export const meshRedialMs = 5_000;
/** Fit: a dialled connection without a Hello is given up after this, and not earlier, since a busy machine answers
 *  late. */
export const meshUnansweredMs = 10_000;

// docs/design/server.md#ending-a-process
/** SIGTERM sleeps, then polls the backlog, then exits whatever it reads. */
export const drainSleepMs = 2_000;
export const drainPollMs = 100;
export const drainMaxMs = 7_000;

/** A read-through waits this long for one home before it asks the next. */
export const fetchTimeoutMs = 1_000;

/** Steps of a record's clock within one wall millisecond. */
export const clockStepsPerMs = 1_024;

// docs/design/server.md#how-records-merge
/** Expired records are replaced by tombstones when no client has written for this long. */
export const sweeperIdleMs = 100;
/** A HyperLogLog has 16,384 registers, each of them a record: by default fewer, which behave alike. */
export const hyperLogLogRegisters = 64;
