import { GatewayError } from '../../canonical/failure.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'

/** The caller's settings that the gateway applies instead of the provider, and shows to the caller. */
export interface SessionWishes {
  /** Whether a response follows each turn that the provider detects. */
  readonly isAutomatic: boolean
  readonly maxOutputTokens: number | 'inf'
  /** Whether the provider transcribes its audio input, which it bills separately. */
  readonly transcribes: boolean
}

/** The default settings of a session. */
export const usualWishes: SessionWishes = { isAutomatic: true, maxOutputTokens: 'inf', transcribes: false }

export interface SessionUpdate {
  /** The session for the provider. In this session the provider never starts a response by itself. */
  readonly session: JsonObject
  readonly wishes: SessionWishes
  /** Whether the update asks for a transcript of the audio input. */
  readonly asksForTranscript: boolean
}

/**
 * Reads a caller's `session.update` and removes automatic responses from it. Throws `GatewayError` where it asks for
 * another model or another kind of session.
 */
export function readSessionUpdate(
  value: JsonValue | undefined,
  publicName: string,
  before: SessionWishes,
): SessionUpdate {
  if (!isJsonObject(value))
    throw new GatewayError('missing_field', { param: 'session', message: 'The event has no "session".' })
  const { model, type, max_output_tokens: max, ...session } = value
  if (type !== undefined && type !== 'realtime') throw otherField('session.type', 'must be "realtime"')
  if (model !== undefined && model !== publicName)
    throw otherField('session.model', 'is that of the connection and cannot change')
  const { audio, wish } = withoutAutomatic(session['audio'])
  const { transcription } = inputOf(audio)
  const asksForTranscript = isJsonObject(transcription)
  return {
    session: {
      type: 'realtime',
      ...session,
      ...(audio !== undefined && { audio }),
      ...(max !== undefined && { max_output_tokens: max }),
    },
    wishes: {
      isAutomatic: wish ?? before.isAutomatic,
      maxOutputTokens: max === undefined ? before.maxOutputTokens : readMax(max, 'session.max_output_tokens'),
      transcribes: transcription === undefined ? before.transcribes : asksForTranscript,
    },
    asksForTranscript,
  }
}

/** Reads a caller's output limit. Throws `GatewayError`. */
export function readMax(value: JsonValue, param: string): number | 'inf' {
  if (value === 'inf') return value
  if (typeof value === 'number' && Number.isInteger(value) && value > 0) return value
  throw otherField(param, 'must be a whole number above 0, or "inf"')
}

function otherField(param: string, words: string): GatewayError {
  return new GatewayError('invalid_field', { param, message: `The field "${param}" ${words}.` })
}

function inputOf(audio: JsonValue | undefined): JsonObject {
  return isJsonObject(audio) && isJsonObject(audio['input']) ? audio['input'] : {}
}

/**
 * Returns the audio settings without automatic responses. `wish` is undefined where the settings say nothing about
 * turns.
 */
function withoutAutomatic(audio: JsonValue | undefined): {
  readonly audio: JsonValue | undefined
  readonly wish: boolean | undefined
} {
  const input = inputOf(audio)
  const turns = input['turn_detection']
  if (!isJsonObject(audio) || turns === undefined) return { audio, wish: undefined }
  if (!isJsonObject(turns)) return { audio, wish: false }
  return {
    audio: { ...audio, input: { ...input, turn_detection: manualTurns(turns) } },
    wish: turns['create_response'] !== false,
  }
}

/** Removes the idle timeout as well, since it would also start a response. */
function manualTurns({ idle_timeout_ms: _timeout, ...turns }: JsonObject): JsonObject {
  return { ...turns, create_response: false }
}

/**
 * Writes the update that removes automatic responses from a session that a provider created; undefined where it has
 * none.
 */
export function writeManualSession({ session }: JsonObject): JsonObject | undefined {
  const turns = isJsonObject(session) ? inputOf(session['audio'])['turn_detection'] : undefined
  if (!isJsonObject(turns)) return undefined
  return { type: 'realtime', audio: { input: { turn_detection: manualTurns(turns) } } }
}

/** Writes the update that ends the transcript of the audio input. */
export function writeUntranscribedSession(): JsonObject {
  return { type: 'realtime', audio: { input: { transcription: null } } }
}

/** The values of the session that the caller sees. */
export interface CallersSession {
  readonly publicName: string
  readonly sessionId: string
  readonly wishes: SessionWishes
}

/** Writes a session event for the caller: with our names, and with the settings that the gateway applies. */
export function showSession(event: JsonObject, own: CallersSession): JsonObject {
  const { session } = event
  return isJsonObject(session) ? { ...event, session: showFields(session, own) } : event
}

/**
 * Removes the provider's client secret, which servers of an older form put into the session. With it, a caller could
 * bypass the gateway.
 */
function showFields(
  { client_secret: _secret, ...session }: JsonObject,
  { publicName, sessionId, wishes }: CallersSession,
): JsonObject {
  const { audio } = session
  const input = inputOf(audio)
  const turns = input['turn_detection']
  const isShown = isJsonObject(audio) && isJsonObject(turns)
  return {
    ...session,
    ...(session['id'] !== undefined && { id: sessionId }),
    ...(session['model'] !== undefined && { model: publicName }),
    ...(isShown && {
      audio: {
        ...audio,
        input: { ...input, turn_detection: { ...turns, create_response: wishes.isAutomatic } },
      },
    }),
  }
}
