// How much of a comparison is under way at once, and how soon something is asked for again.

/** Most partitions in one question; the port to the members takes no more. */
export const MAX_PARTITIONS = 64;
/** Most buckets in one question: each costs the member a scan of the whole partition. */
export const MAX_BUCKETS = 8;

/** Entries of a member that are compared at once, unless one bucket alone has more: so many take some milliseconds.
 *  Buckets beyond are compared at the next look. */
export const MAX_ENTRIES = 16_384;

/** Delay before missing or unreadable records are asked for again. Copies on their way arrive within milliseconds and
 *  repairs within seconds: sooner would cost members that are busy with just that a scan for nothing; later would make
 *  people wait. */
export const RECHECK_MS = 1000;

/** As long for partitions of which nothing is kept, because very many differ: they are on their way for longer, and
 *  reading them over and over would cost members and operator more than anything else. */
export const RECHECK_FORGOTTEN_MS = 5_000;

/** Partitions scanned at once: two questions' worth, so that while one member still answers the first, the others are
 *  asked the second. Only digests of these partitions are kept, at most 2.4 kB each; empty ones take nothing. */
export const WINDOW = 2 * MAX_PARTITIONS;

/** No further buckets are compared while this many records are missing (about 200 bytes each). Digests are still read,
 *  and missing records asked for again: at that point copies are on their way and only their number matters. */
export const MAX_WANTED = 10_000;

/** Partitions that are not covered of which everything is known: their digests, open buckets and missing records, some
 *  5 kB each without the records. */
export const MAX_WORKS = 512;

/** Most records in one question; they are of one bucket, and cost the member one scan of the partition. */
export const MAX_LIST = 256;

/** Most bytes of records of sources that are kept until the homes have them, all together. Others are read again. */
export const MAX_HELD_BYTES = 4 * 1024 * 1024;

/** A record that could not be read is asked for again after RECHECK_MS, then twice as long each time up to this. One
 *  larger than a frame is never answered. */
export const MAX_RECORD_DELAY_MS = 64_000;

/** A home that shows an older version is nearly always just behind, and reading thousands of records would keep it so.
 *  But a register of lower rank, written by a member that is no home, never arrives at a home with a higher one: after
 *  this time, when anti-entropy has had its turn, the record is read. */
export const OLDER_PATIENCE_MS = 10_000;

/** Partitions of a comparison that are taken as streams at once: both sides of each are held in memory. */
export const MAX_STREAMS = 2;
/** Asked for the same partition again within 20 s, a member says nothing. */
export const STREAM_AGAIN_MS = 21_000;
/** A member that said nothing so often in a row is not asked for streams any more. */
export const MAX_SILENCES = 3;
/** Records of streams that are judged before others have their turn: some milliseconds. */
export const MAX_JUDGED_AT_ONCE = 2_048;
/** Entries of buckets that are held against a stream; no partition with more is taken as one. */
export const MAX_STREAM_ENTRIES = 32_768;
/** Buckets whose entries are looked for in a stream, to see that no page is missing. */
export const SAMPLE_BUCKETS = 16;
/** Records missing in a stream whose buckets are looked for; where there are more, copies are on their way. */
export const MAX_LOCATED = 512;
