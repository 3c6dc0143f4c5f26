import { wholeSeconds } from '../kit/whole-seconds.ts'

/** A change of what is known of a channel, one of its credentials or one of its models there. */
export interface HealthNote {
  readonly channel: string
  readonly scope: string
  readonly credentialId: string | undefined
  readonly upstreamModel: string | undefined
  readonly to: 'well' | 'shut' | 'probing'
  readonly reason: string
  /** For `shut`: how long it is left alone. */
  readonly waitMs: number
  /** Whether it passes only when somebody acts. */
  readonly needsOperator: boolean
}

/** Such as `channel primary, model gpt-4o: left alone for 5 s (failing)`. */
export function describeHealth(note: HealthNote): string {
  const { to, reason, waitMs } = note
  const words = {
    well: `well again (${reason} before)`,
    probing: `tried again (${reason} before)`,
    shut: `left alone for ${wholeSeconds(waitMs)} s (${reason})`,
  }
  return `${describePlace(note)}: ${words[to]}`
}

/** Such as `channel primary, model gpt-4o`. */
export function describePlace({ channel, credentialId, upstreamModel }: HealthNote): string {
  const places = [`channel ${channel}`]
  if (credentialId !== undefined) places.push(`credential ${credentialId}`)
  if (upstreamModel !== undefined) places.push(`model ${upstreamModel}`)
  return places.join(', ')
}
