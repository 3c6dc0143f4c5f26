import type { FormatId } from '../canonical/format.ts'
import type { Channel } from '../catalog/channel.ts'
import type { Dialect } from '../wire/dialect.ts'

/** A provider as a declaration of its differences. */
export interface Provider {
  readonly id: string
  /** The formats it speaks; the first is used where the channel names none. */
  readonly formats: readonly [FormatId, ...FormatId[]]
  /** Absent where the operator must give it. */
  readonly baseUrl?: string
  /** Environment variable whose presence makes a channel of its own when nothing is configured. */
  readonly environmentKey?: string
  readonly auth: 'bearer' | 'x-api-key'
  /** Whether a channel without a credential makes sense. */
  readonly needsKey: boolean
  /** Path below the base address, by format, where it differs from the format's own. */
  readonly paths?: Partial<Record<FormatId, string>>
  /** Path below the base address that lists models; absent where there is none. */
  readonly modelListPath?: string
  /** Headers that every request carries, such as a version. */
  readonly headers?: Readonly<Record<string, string>>
  /** Request headers of the caller that go on to the upstream, on top of those of the format. */
  readonly forwardHeaders?: readonly string[]
  /** Top-level request fields that would steer past our permission or price; refused in the verbatim lane, dropped in the translated one. */
  readonly steeringFields?: readonly string[]
  /** Differences in the format, by the upstream's model name. */
  dialect(model: string): Dialect
  /** Where the facts were read, and when. */
  readonly source: string
}

export interface ProviderRegistry {
  find(id: string): Provider | undefined
  readonly ids: readonly string[]
}

/** Headers that authenticate one of our credentials with this provider. */
export function authHeaders(
  provider: Provider,
  channel: Channel,
  credentialSecret: string | undefined,
): Record<string, string> {
  if (credentialSecret === undefined) return { ...channel.headers }
  if (provider.auth === 'bearer') return { authorization: `Bearer ${credentialSecret}`, ...channel.headers }
  return { 'x-api-key': credentialSecret, ...channel.headers }
}
