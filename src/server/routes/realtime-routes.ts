import { GatewayError } from '../../canonical/failure.ts'
import { isJsonObject, type JsonObject } from '../../kit/json/json.ts'
import { tryParseJson } from '../../kit/json/try-parse-json.ts'
import { unixSeconds } from '../../kit/time/unix-seconds.ts'
import { readSessionUpdate, usualWishes } from '../../wire/realtime/session-fields.ts'
import type { Exchanged, ReplyRoute, RouteReply } from '../route.ts'
import { replyJson } from './reply-json.ts'
import type { RouteOptions } from './route-options.ts'

const DEFAULT_LIFE_SECONDS = 600
const MIN_LIFE_SECONDS = 10
const MAX_LIFE_SECONDS = 7_200
/** The maximum size of a session. The client secret contains the session and has to fit in a header. */
const MAX_SESSION_CHARACTERS = 6_144

/**
 * Creates the routes for the gateway's own client secrets, and for clear errors where a session would bypass the
 * gateway.
 */
export function createRealtimeRoutes(options: RouteOptions): readonly ReplyRoute[] {
  return [
    {
      type: 'reply',
      method: 'POST',
      path: '/v1/realtime/client_secrets',
      policy: 'caller',
      format: 'chat',
      handle: (exchanged) => makeClientSecret(exchanged, options),
    },
    ...['/v1/realtime/calls', '/v1/realtime/calls/*'].map((path) => refused(path, overWebRtc)),
    ...['/v1/realtime/sessions', '/v1/realtime/transcription_sessions', '/v1/realtime/translations/*'].map(
      (path) => refused(path, notServed),
    ),
  ]
}

const overWebRtc =
  'Realtime sessions over WebRTC and SIP are out of scope: their sound would not go through this gateway. Connect to /v1/realtime over WebSocket.'
const notServed =
  'This form of realtime sessions is not served. Connect to /v1/realtime over WebSocket; POST /v1/realtime/client_secrets makes a secret for a browser.'

function refused(path: string, message: string): ReplyRoute {
  return {
    type: 'reply',
    method: 'POST',
    path,
    policy: 'caller',
    format: 'chat',
    ignoresBody: true,
    handle() {
      throw new GatewayError('path_not_found', { message })
    },
  }
}

/**
 * Creates a client secret
 * (https://platform.openai.com/docs/api-reference/realtime-sessions/create-realtime-client-secret, seen 2026-11-25).
 */
function makeClientSecret({ identity, body }: Exchanged, { realtime }: RouteOptions): RouteReply {
  if (identity.type !== 'caller') throw new GatewayError('missing_api_key')
  const { caller } = identity
  const sent = readBody(body.length === 0 ? '{}' : body.textOf({ valueStart: 0, valueEnd: body.length }))
  const session = isJsonObject(sent['session']) ? sent['session'] : {}
  const { model } = session
  if (model !== undefined && (typeof model !== 'string' || !realtime.hasModel(caller, model)))
    throw new GatewayError('model_not_found', { param: 'session.model' })
  // A session can only start with fields that an update may also set.
  readSessionUpdate(session, String(model ?? ''), usualWishes)
  const written = JSON.stringify(session)
  if (written.length > MAX_SESSION_CHARACTERS)
    throw new GatewayError('invalid_field', {
      param: 'session',
      message: `The session must have at most ${MAX_SESSION_CHARACTERS} characters. Send the rest as "session.update".`,
    })
  const lifeMs = readLife(sent['expires_after']) * 1_000
  const { value, expiresAtMs } = realtime.makeSecret(caller, { lifeMs, session: written })
  const answer = {
    value,
    expires_at: unixSeconds(expiresAtMs),
    session: { type: 'realtime', object: 'realtime.session', ...session },
  }
  return replyJson(answer)
}

function readBody(text: string): JsonObject {
  const value = tryParseJson(text)
  if (isJsonObject(value)) return value
  throw new GatewayError('body_not_object')
}

function readLife(value: unknown): number {
  if (value === undefined) return DEFAULT_LIFE_SECONDS
  const seconds = isJsonObject(value) ? value['seconds'] : undefined
  const isFit =
    typeof seconds === 'number' &&
    Number.isInteger(seconds) &&
    seconds >= MIN_LIFE_SECONDS &&
    seconds <= MAX_LIFE_SECONDS
  if (isFit) return seconds
  throw new GatewayError('invalid_field', {
    param: 'expires_after.seconds',
    message: `The field "expires_after.seconds" must be a whole number from ${MIN_LIFE_SECONDS} to ${MAX_LIFE_SECONDS}.`,
  })
}
