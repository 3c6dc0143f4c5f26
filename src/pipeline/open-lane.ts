import { GatewayError } from '../canonical/failure.ts'
import type { Provider } from '../providers/provider.ts'
import type { Candidate } from '../routing/plan-attempts.ts'
import type { Exchange } from './exchange.ts'
import type { Gateway } from './gateway.ts'
import type { Lane } from './lane.ts'
import { openTranslatedLane } from './translated-lane.ts'
import { openVerbatimLane } from './verbatim-lane.ts'

export interface OpenedLane {
  readonly lane: Lane
  readonly provider: Provider
}

/** Prepares one attempt: word for word where caller and channel share a format, translated where not. */
export function openLane(exchange: Exchange, { target }: Candidate, gateway: Gateway): OpenedLane {
  const provider = gateway.providers.find(target.channel.provider)
  if (provider === undefined) {
    throw new GatewayError(
      'internal_error',
      {},
      { cause: new Error(`no provider ${target.channel.provider}`) },
    )
  }
  const format = gateway.formats[target.channel.format]
  const createdAtSeconds = Math.floor(gateway.clock.nowMs() / 1_000)
  const lane =
    format.id === exchange.received.format.id
      ? openVerbatimLane(exchange, target, provider)
      : openTranslatedLane(exchange, { target, provider, format, createdAtSeconds })
  return { lane, provider }
}
