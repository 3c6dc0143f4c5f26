import type { IncomingHttpHeaders } from 'node:http'
import { GatewayError } from '../../canonical/failure.ts'
import { isJsonObject, type JsonObject } from '../../kit/json/json.ts'
import { tryParseJson } from '../../kit/json/try-parse-json.ts'
import { authenticate } from '../authenticate-request.ts'
import type { RequestHead, RequestingCaller } from '../request-head.ts'
import type { SocketOptions } from './socket-options.ts'

/** A browser cannot set headers, and sends its key as a subprotocol (openai 7.55.0, `realtime/websocket`). */
const KEY_PROTOCOL = 'openai-insecure-api-key.'
const BETA_PROTOCOL = 'openai-beta.realtime-v1'
const CLIENT_SECRET = 'ek-hg-'

/** A caller that may open a session, and the session of its client secret. */
export interface RealtimeAdmission {
  readonly caller: RequestingCaller
  readonly model: string
  readonly preset: JsonObject | undefined
}

/** Admits a caller with its key or a client secret. Throws `GatewayError`. */
export function admitRealtime(head: RequestHead, options: SocketOptions): RealtimeAdmission {
  refuseBeta(head.message.headers)
  const { caller, session } = identifyCaller(head, options)
  const query = new URLSearchParams(head.query)
  if (query.has('call_id') || query.has('intent')) throw notServed()
  const named = session === undefined ? undefined : textIn(session['model'])
  const model = query.get('model') ?? query.get('deployment') ?? named
  if (model === undefined || model === '')
    throw new GatewayError('missing_field', {
      param: 'model',
      message: 'The address must name a model, as in /v1/realtime?model=gpt-realtime.',
    })
  if (named !== undefined && named !== model)
    throw new GatewayError('invalid_field', {
      param: 'model',
      message: 'The client secret was made for another model.',
    })
  const { model: _model, ...preset } = session ?? {}
  return { caller, model, preset: Object.keys(preset).length === 0 ? undefined : preset }
}

export type IdentifyOptions = Pick<SocketOptions, 'callerAccess' | 'checkAdmin' | 'realtime'> & {
  readonly gate: Pick<SocketOptions['gate'], 'isDraining'>
}

/** Identifies the caller in its current state. Throws `GatewayError` if the caller is no longer admitted. */
export function identifyCaller(
  head: RequestHead,
  options: IdentifyOptions,
): { readonly caller: RequestingCaller; readonly session: JsonObject | undefined } {
  const { headers } = head.message
  const secret = shownSecret(headers)
  if (secret?.startsWith(CLIENT_SECRET) !== true) {
    const authorized = secret === undefined ? headers : { ...headers, authorization: `Bearer ${secret}` }
    return { caller: authenticate(head, { format: 'chat' }, options, authorized), session: undefined }
  }
  if (options.gate.isDraining) throw new GatewayError('shutting_down')
  const grant = options.realtime.readSecret(secret)
  if (grant === undefined)
    throw new GatewayError('invalid_api_key', {
      message: 'The client secret is not valid: it has expired, or was not made here. Make another one.',
      logCause: 'the client secret has expired or is unknown',
    })
  const session = tryParseJson(grant.session)
  return {
    caller: options.callerAccess.authenticateId(grant.keyId, head.address),
    session: isJsonObject(session) ? session : undefined,
  }
}

/** The secret in the header or, if there is none, in the subprotocols. */
function shownSecret(headers: IncomingHttpHeaders): string | undefined {
  const { authorization } = headers
  if (authorization !== undefined) return authorization.replace(/^bearer\s+/i, '').trim()
  if (headers['api-key'] !== undefined || headers['x-api-key'] !== undefined) return undefined
  return protocolsOf(headers)
    .find((protocol) => protocol.startsWith(KEY_PROTOCOL))
    ?.slice(KEY_PROTOCOL.length)
}

function protocolsOf(headers: IncomingHttpHeaders): readonly string[] {
  return (headers['sec-websocket-protocol'] ?? '').split(',').map((protocol) => protocol.trim())
}

function refuseBeta(headers: IncomingHttpHeaders): void {
  const features = [headers['openai-beta'] ?? []].flat().join(',')
  const asksForBeta = /(?:^|[\s,])realtime=v1(?:$|[\s,])/.test(features)
  if (!asksForBeta && !protocolsOf(headers).includes(BETA_PROTOCOL)) return
  throw new GatewayError('invalid_field', {
    param: 'openai-beta',
    message:
      'The beta form of realtime sessions is not served, here or by OpenAI. Leave "OpenAI-Beta: realtime=v1" out, and use the events of today.',
  })
}

function notServed(): GatewayError {
  return new GatewayError('operation_not_supported', {
    message: 'Sessions that attach to a call, and sessions that only transcribe, are not served here.',
  })
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
