import { GatewayError } from '../../../canonical/failure.ts'
import { BodyBytes } from '../../../kit/json/body-bytes.ts'
import { isJsonArray, isJsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { scanObject } from '../../../kit/json/scan-object.ts'
import { tryParseJson } from '../../../kit/json/try-parse-json.ts'
import { fieldValue, readBoolean, scanError, spliceBody } from '../../verbatim/scan-body.ts'
import type { Edit, FieldSpan } from '../../wire-format.ts'

/**
 * An event that a client sends over WebSocket
 * (https://developers.openai.com/api/reference/resources/responses/websocket-events, seen 2026-11-24).
 */
export type SocketEvent =
  | {
      readonly type: 'create'
      /** The body in the form that `POST /v1/responses` accepts, with streaming on. */
      readonly body: BodyBytes
      /** The stream within the connection that the response belongs to; undefined for the unnamed stream. */
      readonly streamId: string | undefined
      /** Whether to generate output. If false, the request only prepares the state of a later request. */
      readonly isGenerated: boolean
    }
  | { readonly type: 'steer'; readonly previousId: string; readonly input: JsonValue }

const STREAM_ID = /^[\x20-\x7e]{1,256}$/

/** The fields of the event that are not fields of the body. */
const ownFields = ['type', 'stream_id', 'generate', 'stream'] as const

/** Reads a text frame. Throws `GatewayError` where the frame is not an event of the protocol. */
export function readSocketEvent(bytes: Buffer): SocketEvent {
  const body = BodyBytes.from([bytes])
  if (!body.inspection.isUtf8) throw new GatewayError('invalid_utf8')
  const scanned = scanObject(body)
  if ('fault' in scanned) throw scanError(scanned)
  const { members, insertAt } = scanned
  const type = readText(body, members.get('type'))
  if (type === 'response.create') return readCreate(body, members, insertAt)
  if (type === 'response.steer') return readSteer(bytes)
  const shown = type === undefined ? 'has no "type"' : `is of the type ${JSON.stringify(type.slice(0, 64))}`
  throw invalid(
    'type',
    `The event ${shown}. This connection takes events of the type "response.create", with the fields of POST /v1/responses.`,
  )
}

function readCreate(
  body: BodyBytes,
  members: ReadonlyMap<string, FieldSpan>,
  insertAt: number,
): Extract<SocketEvent, { type: 'create' }> {
  if (readBoolean(body, members.get('background'), 'background') === true)
    throw invalid('background', 'The field "background" is not supported over WebSocket. Leave it out.')
  const isGenerated = readBoolean(body, members.get('generate'), 'generate') !== false
  const left = [...members.values()].filter(({ name }) => !isOwn(name)).sort(byPosition)
  return {
    type: 'create',
    body: writeBody(body, left, insertAt),
    streamId: readStreamId(body, members),
    isGenerated,
  }
}

function readStreamId(body: BodyBytes, members: ReadonlyMap<string, FieldSpan>): string | undefined {
  const field = members.get('stream_id')
  if (field === undefined || body.textOf(field) === 'null') return undefined
  const text = readText(body, field)
  if (text !== undefined && STREAM_ID.test(text)) return text
  throw invalid('stream_id', 'The field "stream_id" must be a string of 1 to 256 printable characters.')
}

/** Writes the body without the given fields, with streaming on. */
function writeBody(body: BodyBytes, left: readonly FieldSpan[], insertAt: number): BodyBytes {
  const edits: Edit[] = []
  let from = insertAt
  let text = '"stream":true'
  for (const { nameStart, valueEnd } of left) {
    edits.push({ start: from, end: nameStart, text: `${text},` })
    from = valueEnd
    text = ''
  }
  edits.push({ start: from, end: body.length, text: `${text}}` })
  return BodyBytes.from(spliceBody(body, edits))
}

function isOwn(name: string): boolean {
  return ownFields.some((own) => own === name)
}

function byPosition(left: FieldSpan, right: FieldSpan): number {
  return left.nameStart - right.nameStart
}

function readSteer(bytes: Buffer): SocketEvent {
  const event = tryParseJson(bytes.toString('utf8'))
  const { input, previous_response_id: previousId } = isJsonObject(event) ? event : {}
  const isInput = typeof input === 'string' || isJsonArray(input)
  if (!isInput || typeof previousId !== 'string')
    throw invalid(
      'previous_response_id',
      'An event "response.steer" needs "previous_response_id" and "input".',
    )
  return { type: 'steer', previousId, input }
}

function readText(body: BodyBytes, field: FieldSpan | undefined): string | undefined {
  const value = field === undefined ? undefined : fieldValue(body, field)
  return typeof value === 'string' ? value : undefined
}

function invalid(param: string, message: string): GatewayError {
  return new GatewayError('invalid_field', { param, message })
}
