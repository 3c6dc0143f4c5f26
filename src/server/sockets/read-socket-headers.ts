import type { IncomingHttpHeaders } from 'node:http'
import { IDEMPOTENCY_HEADER } from '../../pipeline/idempotency/share-call.ts'

/** Headers of the handshake that say nothing of the requests that follow. */
const ofHandshake: ReadonlySet<string> = new Set([
  'connection',
  'upgrade',
  'sec-websocket-key',
  'sec-websocket-version',
  'sec-websocket-extensions',
  'sec-websocket-protocol',
  // One key for all requests of a connection would make them one.
  IDEMPOTENCY_HEADER,
])

/** The feature by which Codex asks for WebSocket, which means nothing to a provider over HTTP. */
const WEBSOCKET_FEATURE = /^responses_websockets(?:=|$)/

/** The headers that each request of a connection has. */
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
