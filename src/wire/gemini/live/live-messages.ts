import { GatewayError } from '../../../canonical/failure.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { fieldOf, refuseFiles, withCamelNames } from './live-fields.ts'

/** The input that a message adds to later responses. */
export interface LiveInput {
  readonly textCharacters: number
  /** Characters of audio in base64. */
  readonly audioCharacters: number
  readonly images: number
}

export interface LiveCallerMessage {
  readonly input: LiveInput
  /** Whether the message holds the results of function calls, after which the model's next response follows. */
  readonly isToolResponse: boolean
}

const kinds = ['clientContent', 'realtimeInput', 'toolResponse'] as const
const SOUND = /^audio\//i

/**
 * Reads a caller's message after the setup (https://ai.google.dev/api/live#BidiGenerateContentClientMessage, seen
 * 2026-11-25). Throws `GatewayError` on a message that the gateway does not serve.
 */
export function readCallerMessage(fields: JsonObject | undefined, characters: number): LiveCallerMessage {
  const kind = fields && kinds.find((name) => isJsonObject(fieldOf(fields, name)))
  if (fields === undefined || kind === undefined || Object.keys(fields).length !== 1)
    throw new GatewayError('invalid_field', {
      param: 'message',
      message: 'A message must be {"clientContent": …}, {"realtimeInput": …} or {"toolResponse": …}.',
    })
  const value = fieldOf(fields, kind)
  refuseFiles(value)
  const media = measureMedia(value)
  const input = { ...media, textCharacters: Math.max(0, characters - media.audioCharacters) }
  return { input, isToolResponse: kind === 'toolResponse' }
}

/** Counts the audio characters and the images in a message. */
function measureMedia(value: JsonValue | undefined): Omit<LiveInput, 'textCharacters'> {
  let [audioCharacters, images] = [0, 0]
  const visit = (item: JsonValue | undefined): void => {
    if (Array.isArray(item)) item.forEach(visit)
    if (!isJsonObject(item)) return
    const { data } = item
    const type = fieldOf(item, 'mimeType')
    if (typeof data === 'string' && typeof type === 'string') {
      if (SOUND.test(type)) audioCharacters += data.length
      else images += 1
    } else Object.values(item).forEach(visit)
  }
  visit(value)
  return { audioCharacters, images }
}

/** A message of a Live session from the provider. */
export interface LiveServerMessage {
  readonly isSetupComplete: boolean
  /** Whether the message holds text, audio or function calls of a response. */
  readonly hasContent: boolean
  /** Whether the response is over. */
  readonly isTurnComplete: boolean
  readonly isInterrupted: boolean
  readonly usage: JsonValue | undefined
  /** The content with the searches of the response. Undefined if the message names none. */
  readonly searched: JsonObject | undefined
  /** The message for the caller, without the fields meant for the gateway only. Undefined if no field remains. */
  readonly shown: JsonObject | undefined
}

/**
 * Reads a message from the provider (https://ai.google.dev/api/live#BidiGenerateContentServerMessage, seen 2026-11-25).
 * Never throws.
 */
export function readServerMessage(message: JsonObject): LiveServerMessage {
  const fields = withCamelNames(message)
  const { setupComplete, serverContent, sessionResumptionUpdate, ...others } = fields
  const content = isJsonObject(serverContent) ? withCamelNames(serverContent) : {}
  const shown = {
    ...(setupComplete !== undefined && { setupComplete: {} }),
    ...(serverContent !== undefined && { serverContent }),
    ...others,
  }
  return {
    isSetupComplete: setupComplete !== undefined,
    hasContent:
      content['modelTurn'] !== undefined ||
      content['outputTranscription'] !== undefined ||
      content['generationComplete'] === true ||
      fields['toolCall'] !== undefined,
    isTurnComplete: content['turnComplete'] === true,
    isInterrupted: content['interrupted'] === true,
    usage: fields['usageMetadata'],
    searched: content['groundingMetadata'] === undefined ? undefined : content,
    shown: Object.keys(shown).length === 0 ? undefined : shown,
  }
}
