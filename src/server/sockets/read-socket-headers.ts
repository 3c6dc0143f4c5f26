import type { IncomingHttpHeaders } from 'node:http'
import { IDEMPOTENCY_HEADER } from '../../pipeline/idempotency/share-call.ts'

/** Headers that belong only to the handshake and not to the requests that follow. */
const ofHandshake: ReadonlySet<string> = new Set([
  'connection',
  'upgrade',
  'sec-websocket-key',
  'sec-websocket-version',
  'sec-websocket-extensions',
  'sec-websocket-protocol',
  // All requests of a connection would share this key and count as one request.
  IDEMPOTENCY_HEADER,
])

/** The feature with which Codex requests WebSocket. It means nothing to a provider over HTTP. */
const WEBSOCKET_FEATURE = /^responses_websockets(?:=|$)/

/** The headers of each request of a connection. */
export function readSocketHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const left = Object.fromEntries(Object.entries(headers).filter(([name]) => !ofHandshake.has(name)))
  const features = left['openai-beta']
  if (features === undefined) return left
  const others = [features]
    .flat()
    .join(',')
    .split(',')
    .map((feature) => feature.trim())
    .filter((feature) => feature !== '' && !WEBSOCKET_FEATURE.test(feature))
  const { 'openai-beta': _, ...withoutFeatures } = left
  return others.length === 0 ? withoutFeatures : { ...withoutFeatures, 'openai-beta': others.join(', ') }
}
