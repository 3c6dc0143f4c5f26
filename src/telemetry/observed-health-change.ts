import { wholeSeconds } from '../kit/time/whole-seconds.ts'

/** A change of the health of a channel, one of its credentials or one of its models. */
export interface ObservedHealthChange {
  readonly channel: string
  readonly scope: string
  readonly credentialId: string | undefined
  readonly upstreamModel: string | undefined
  readonly to: 'healthy' | 'open' | 'half-open'
  readonly reason: string
  /** The operations that the reason concerns; undefined if it concerns all. */
  readonly operations?: readonly string[] | undefined
  /** The time for which the `open` state keeps the target out of rotation. */
  readonly waitMs: number
  /** Whether an operator must fix the problem. */
  readonly needsOperator: boolean
}

/** Describes a change in a line such as `channel primary, model gpt-4o: out of rotation for 5 s (failing)`. */
export function describeHealth(change: ObservedHealthChange): string {
  const { to, reason, waitMs } = change
  const words = {
    healthy: `back in rotation (was ${reason})`,
    'half-open': `probed by one request (was ${reason})`,
    open: `out of rotation for ${wholeSeconds(waitMs)} s (${reason})`,
  }
  const only = change.operations === undefined ? '' : `, only for ${change.operations.join(', ')}`
  return `${describeTarget(change)}${only}: ${words[to]}`
}

/** Describes a target in a phrase such as `channel primary, model gpt-4o`. */
export function describeTarget({
  channel,
  credentialId,
  upstreamModel,
}: Pick<ObservedHealthChange, 'channel' | 'credentialId' | 'upstreamModel'>): string {
  const places = [`channel ${channel}`]
  if (credentialId !== undefined) places.push(`credential ${credentialId}`)
  if (upstreamModel !== undefined) places.push(`model ${upstreamModel}`)
  return places.join(', ')
}
