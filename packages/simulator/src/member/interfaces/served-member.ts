// A member as its sessions, commands, HTTP paths and background load see it, without the parts it is made of.

import type { Phase, Version } from '../basics/messages.ts';
import type { MetricSample, MetricsBook } from '../basics/metrics-book.ts';
import type { MemberWorld } from '../basics/world.ts';
import type { View } from '../membership/view.ts';
import type { Store } from '../records/store.ts';
import type { StampedWrite, Write } from '../records/write.ts';
import type { MemberKnobs } from '../settings/knobs.ts';
import type { MemberSettings } from '../settings/settings.ts';

export interface ServedMember {
  readonly settings: MemberSettings;
  readonly world: MemberWorld;
  readonly metrics: MetricsBook;
  readonly store: Store;
  /** Unix seconds at boot. */
  readonly generation: number;
  readonly runId: string;
  /** Empty = no authentication. A change applies to new sessions only. */
  requirepass: string;
  readonly knobs: MemberKnobs;
  readonly view: View;
  /** Ahead of what `/ready` and other members show. */
  readonly phase: Phase;
  wallNow(): number;
  /** So many seconds from now, in wall milliseconds. */
  deadlineIn(seconds: number): number;
  clientCount(): number;
  uptimeSeconds(): number;
  /** Whether a client can read it. */
  isReadable(version: Version | undefined): version is Version;
  read(key: string, found: (version: Version | undefined) => void): void;
  /** Own writes in one transaction. */
  write(writes: readonly (Write | StampedWrite)[]): void;
  renderMetrics(): string;
  metricSamples(isRead: (metric: string) => boolean): readonly MetricSample[];
  /** Gossips Leaving and does nothing else: no exit, no hand-off, no way back but a restart. */
  drain(): void;
  exit(code: number): void;
}
