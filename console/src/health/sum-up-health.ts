import type { HealthView } from '../../../src/admin/health-contract.ts'

export type HealthLine = HealthView['data'][number]
export type ReportedState = HealthLine['state']

const badness: Readonly<Record<ReportedState, number>> = { healthy: 0, degraded: 1, 'half-open': 2, open: 3 }

export interface ChannelState {
  /** The state of the whole channel. A fault of one of several credentials or models makes it degraded. */
  readonly state: ReportedState | 'unused'
  /** The line with the worst state. */
  readonly worst: HealthLine | undefined
}

/** Sums up the lines of one channel. Without lines, the channel has had no request since the start. */
export function sumUpHealth(lines: readonly HealthLine[]): ChannelState {
  const [worst] = lines.toSorted((one, other) => badness[other.state] - badness[one.state])
  if (worst === undefined) return { state: 'unused', worst: undefined }
  const isWhole = worst.scope === 'channel' || lines.every(({ state }) => state === worst.state)
  return { state: worst.state === 'healthy' || isWhole ? worst.state : 'degraded', worst }
}

/** Counts the channels in each state. Idle channels are counted separately. */
export function countStates({
  channels,
  data,
}: Pick<HealthView, 'channels' | 'data'>): Readonly<Record<ChannelState['state'], number>> {
  const counts = { healthy: 0, degraded: 0, 'half-open': 0, open: 0, unused: 0 }
  for (const { name } of channels)
    counts[sumUpHealth(data.filter(({ channel }) => channel === name)).state] += 1
  return counts
}
