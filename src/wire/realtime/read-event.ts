import { GatewayError } from '../../canonical/failure.ts'
import { isJsonObject, type JsonObject } from '../../kit/json/json.ts'
import { tryParseJson } from '../../kit/json/try-parse-json.ts'
import { refuseJson } from '../answer-bounds.ts'

/** An event from the caller or the provider, which has a type. */
export interface RealtimeEvent {
  readonly type: string
  readonly fields: JsonObject
}

/** Parses an event; undefined where the text is not an event. Never throws. */
export function readRealtimeEvent(text: string): RealtimeEvent | undefined {
  const fields = refuseJson(text) === undefined ? tryParseJson(text) : undefined
  if (!isJsonObject(fields) || typeof fields['type'] !== 'string') return undefined
  return { type: fields['type'], fields }
}

/**
 * The caller's events that are forwarded unchanged (the client events of openai 7.55.0, seen 2026-11-25). Other events
 * could start or change a response without the gateway's control.
 */
const passedOn: ReadonlySet<string> = new Set([
  'conversation.item.create',
  'conversation.item.delete',
  'conversation.item.retrieve',
  'conversation.item.truncate',
  'input_audio_buffer.append',
  'input_audio_buffer.clear',
  'input_audio_buffer.commit',
  'output_audio_buffer.clear',
  'response.cancel',
])

export function isPassedOn({ type }: RealtimeEvent): boolean {
  return passedOn.has(type)
}

export type CallerEventKind = 'update' | 'create' | 'passed'

/** Decides how a caller's event is handled. Throws `GatewayError` for an event that is not served. */
export function judgeCallerEvent(event: RealtimeEvent): CallerEventKind {
  const { type } = event
  if (type === 'session.update') return 'update'
  if (type === 'response.create') return 'create'
  if (isPassedOn(event)) return 'passed'
  throw new GatewayError('invalid_field', {
    param: 'type',
    message: `There is no event ${JSON.stringify(type.slice(0, 64))} for a realtime session here.`,
  })
}

/** The amount of input that an event adds to later responses. */
export interface AddedInput {
  readonly textCharacters: number
  /** The number of base64 characters of audio. */
  readonly audioCharacters: number
  readonly images: number
}

const nothingAdded: AddedInput = { textCharacters: 0, audioCharacters: 0, images: 0 }

export function measureEvent({ type, fields }: RealtimeEvent, characters: number): AddedInput {
  if (type === 'input_audio_buffer.append') {
    const { audio } = fields
    return { ...nothingAdded, audioCharacters: typeof audio === 'string' ? audio.length : 0 }
  }
  if (type !== 'conversation.item.create' && type !== 'session.update' && type !== 'response.create')
    return nothingAdded
  const { item } = fields
  const content = isJsonObject(item) && Array.isArray(item['content']) ? item['content'] : []
  let [audioCharacters, images, imageCharacters] = [0, 0, 0]
  for (const part of content) {
    if (!isJsonObject(part)) continue
    if (typeof part['audio'] === 'string') audioCharacters += part['audio'].length
    if (part['type'] !== 'input_image') continue
    images += 1
    if (typeof part['image_url'] === 'string') imageCharacters += part['image_url'].length
  }
  return { textCharacters: characters - audioCharacters - imageCharacters, audioCharacters, images }
}
