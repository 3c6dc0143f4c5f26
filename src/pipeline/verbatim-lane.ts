import { GatewayError } from '../canonical/failure.ts'
import type { Target } from '../catalog/catalog.ts'
import { dialectOf } from '../providers/dialect-of.ts'
import type { Provider } from '../providers/provider.ts'
import { type Exchange, isFailure } from './exchange.ts'
import { forwardHeaders } from './forward-headers.ts'
import type { Lane } from './lane.ts'
import { parseReply, parseWatched, writeReplay } from './read-whole-reply.ts'
import { createVerbatimRelay } from './verbatim-relay.ts'

/** Same format in and out: the caller's bytes go up and the channel's come down, save what must change. */
export function openVerbatimLane(exchange: Exchange, target: Target, provider: Provider): Lane {
  const { received, scanned } = exchange
  const { format } = received
  refuseSteering(exchange, target, provider)
  const addsUsage =
    scanned.stream && !format.asksForUsage(scanned) && dialectOf(provider, target).streamUsageOption
  return {
    kind: 'verbatim',
    path: (provider.paths?.[format.id] ?? format.path) + keptQuery(received.query),
    headers: forwardHeaders(received.headers, format.id, provider),
    body: format.spliceRequest(scanned, { model: target.upstreamModel, askForUsage: addsUsage }),
    losses: [],
    createStreamRelay: () => createVerbatimRelay(format, addsUsage),
    readWhole(body) {
      const parsed = parseWatched(body)
      if ('failure' in parsed) return parsed.failure
      const { failure, usage } = format.watchReply(parsed.json)
      return failure ?? { body, usage, losses: [] }
    },
    replayWhole(body) {
      const parsed = parseReply(body)
      if ('failure' in parsed) return parsed.failure
      const reply = format.readReply(parsed.json)
      if (isFailure(reply)) return reply
      const streamUsage = format.asksForUsage(scanned)
      return writeReplay(reply, format.createStreamWriter({ streamUsage, requestId: received.requestId }))
    },
    readError: (answer) => format.readError(answer),
  }
}

/** Fields by which an upstream could be led past the permission or the price that was checked. */
function refuseSteering({ scanned }: Exchange, target: Target, provider: Provider): void {
  const allowed = target.channel.allowFields
  for (const name of provider.steeringFields ?? []) {
    if (scanned.fields.has(name) && !allowed.has(name)) {
      throw new GatewayError('field_not_allowed', {
        param: name,
        message: `The field "${name}" would steer the request past this gateway, so the channel does not allow it. Leave it out.`,
      })
    }
  }
}

/** Only what the format itself puts into a query: the messages format's `beta=true`. */
function keptQuery(query: string): string {
  return query !== '' && new URLSearchParams(query).get('beta') === 'true' ? '?beta=true' : ''
}
