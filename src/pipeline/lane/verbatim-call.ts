import { GatewayError } from '../../canonical/failure.ts'
import type { FormatId } from '../../canonical/format.ts'
import type { Target } from '../../catalog/catalog.ts'
import { isJsonObject } from '../../kit/json/json.ts'
import { foldName } from '../../kit/json/scan-object.ts'
import { pathOf } from '../../providers/operation-path.ts'
import type { Provider } from '../../providers/provider.ts'
import { fieldValue } from '../../wire/verbatim/scan-body.ts'
import type { ScannedRequest } from '../../wire/wire-format.ts'
import type { Exchange } from '../exchange/exchange.ts'
import type { Lane } from './lane.ts'

export type VerbatimCall = Pick<
  Lane,
  'kind' | 'path' | 'headers' | 'body' | 'answerHeaders' | 'losses' | 'readError'
>

/** The caller's own bytes on their way to a channel that takes them. Throws `GatewayError` on fields that steer past us. */
export function writeVerbatimCall(
  exchange: Exchange,
  { target, provider }: { readonly target: Target; readonly provider: Provider },
  askForUsage: boolean,
): VerbatimCall {
  const { callerRequest, scanned, format } = exchange
  const previousResponseId = exchange.kind === 'conversation' ? exchange.upstreamPreviousId : undefined
  const query =
    format.family === 'messages' && provider.pathOf === undefined ? forwardedQuery(callerRequest.query) : ''
  refuseSteering(exchange, target, provider)
  const forwarded = forwardHeaders(callerRequest.headers, format.family, provider)
  const { channel, upstreamModel: model } = target
  const call = { operation: format.id, stream: scanned.stream, channel, headers: forwarded }
  const { body: shape, headers = forwarded } = provider.shapeOf?.(call) ?? {}
  return {
    kind: 'verbatim',
    path: pathOf(provider, format, { ...target, stream: scanned.stream }) + query,
    headers,
    body: format.spliceRequest(scanned, { model, askForUsage, shape, previousResponseId }),
    answerHeaders: provider.answerHeaders,
    losses: [],
    readError: (answer) => provider.readError?.(answer) ?? format.readError(answer),
  }
}

/** Fields by which an upstream could be led past the permission or the price that was checked. */
function refuseSteering({ scanned }: Exchange, target: Target, provider: Provider): void {
  const allowed = target.channel.allowFields
  for (const name of provider.steeringFields) {
    if (holdsField(scanned, name) && !allowed.has(name)) {
      throw new GatewayError('field_not_allowed', {
        param: name,
        message: `The field "${name}" would steer the request past this gateway, so the channel does not allow it. Leave it out.`,
      })
    }
  }
}

/** A name with dots is a field within others, in either spelling of proto JSON. */
function holdsField(scanned: ScannedRequest, name: string): boolean {
  if (!name.includes('.')) return scanned.fields.has(name)
  const [outer = name, ...inner] = name.split('.')
  for (const [key, field] of scanned.fields) {
    if (key.replaceAll('_', '') !== outer) continue
    if (holdsInner(fieldValue(scanned.body, field), inner)) return true
  }
  return false
}

function holdsInner(value: unknown, [name, ...inner]: readonly string[]): boolean {
  if (name === undefined) return true
  if (!isJsonObject(value)) return false
  return Object.entries(value).some(
    ([key, each]) => foldName(key).replaceAll('_', '') === name && holdsInner(each, inner),
  )
}

/** Of the messages format's query, what clients of the format put there. No other format has any, nor a place for one. */
function forwardedQuery(query: string): string {
  return query !== '' && new URLSearchParams(query).get('beta') === 'true' ? '?beta=true' : ''
}

/**
 * Request headers that go on to a channel of the same format, unchanged. An open list of beta names is part of the
 * messages format: header and body travel as a pair, or the upstream refuses the body.
 */
const forwardedByFormat: Readonly<Record<FormatId, readonly string[]>> = {
  chat: ['openai-beta'],
  responses: ['openai-beta'],
  messages: ['anthropic-version', 'anthropic-beta'],
  gemini: [],
}

/** The caller's headers that may pass, of the format's and the provider's lists; nothing else ever does. */
function forwardHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  format: FormatId,
  provider: Provider,
): Record<string, string> {
  const forwarded: Record<string, string> = {}
  const ownOfConnection = namesOfConnection(headers['connection'])
  for (const name of [...forwardedByFormat[format], ...(provider.forwardHeaders ?? [])]) {
    if (ownOfConnection.includes(name)) continue
    const value = headers[name]
    if (typeof value === 'string') forwarded[name] = value
    else if (value !== undefined) forwarded[name] = value.join(', ')
  }
  return forwarded
}

const noNames: readonly string[] = []

/** What the header `connection` names is meant for us alone (RFC 9110 §7.6.1). */
function namesOfConnection(header: string | string[] | undefined): readonly string[] {
  if (header === undefined || header === 'keep-alive') return noNames
  return String(header)
    .split(',')
    .map((name) => name.trim().toLowerCase())
}
