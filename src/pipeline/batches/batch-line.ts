import { GatewayError } from '../../canonical/failure.ts'
import { BodyBytes } from '../../kit/json/body-bytes.ts'
import { isJsonObject, quoteText } from '../../kit/json/json.ts'
import { type MemberSpan, scanObject } from '../../kit/json/scan-object.ts'
import { tryParseJson } from '../../kit/json/try-parse-json.ts'
import type { CallerFormat } from '../../wire/caller-format.ts'
import { chatFormat } from '../../wire/chat/format.ts'
import { completionsFormat } from '../../wire/completions/format.ts'
import { embeddingsFormat } from '../../wire/embeddings/format.ts'
import { responsesFormat } from '../../wire/responses/format.ts'

/** The operations that a batch can request (https://platform.openai.com/docs/api-reference/batch, seen 2026-11-24). */
export const batchOperations: ReadonlyMap<string, CallerFormat> = new Map<string, CallerFormat>([
  ['/v1/chat/completions', chatFormat],
  ['/v1/responses', responsesFormat],
  ['/v1/embeddings', embeddingsFormat],
  ['/v1/completions', completionsFormat],
])

/** One line of a batch's input. It holds a request, as bytes. */
export interface BatchLine {
  readonly bytes: Buffer
  readonly url: string
  readonly format: CallerFormat
  readonly body: BodyBytes
  /** The offset of the body in the line. */
  readonly bodyStart: number
}

/** Reads a line of a batch's input. Throws `invalid_field` with the number of the line, from 1. */
export function readBatchLine(bytes: Buffer, number: number): BatchLine {
  const whole = BodyBytes.from([bytes])
  const scanned = scanObject(whole)
  if ('fault' in scanned || !whole.inspection.isUtf8) throw lineFault(number, 'is not a JSON object')
  const textOf = (name: string) => {
    const member = scanned.members.get(name)
    const value = member === undefined ? undefined : tryParseJson(whole.textOf(member))
    return typeof value === 'string' ? value : undefined
  }
  if (textOf('custom_id') === undefined) throw lineFault(number, 'has no "custom_id"')
  if (textOf('method') !== 'POST') throw lineFault(number, 'must have "method": "POST"')
  const url = textOf('url') ?? ''
  const format = batchOperations.get(url)
  if (format === undefined)
    throw lineFault(number, `must have as its "url" one of ${[...batchOperations.keys()].join(', ')}`)
  const span = scanned.members.get('body')
  if (span === undefined || bytes[span.valueStart] !== 0x7b)
    throw lineFault(number, 'has no object as its "body"')
  const body = BodyBytes.from([bytes.subarray(span.valueStart, span.valueEnd)])
  return { bytes, url, format, body, bodyStart: span.valueStart }
}

/** The line with another model and a line feed at its end. Every other byte is the caller's. */
export function writeBatchLine({ bytes, body, bodyStart }: BatchLine, model: string): Buffer {
  const field = modelOf(body)
  if (field === undefined) return Buffer.concat([bytes, lineFeed])
  const { valueStart, valueEnd } = field
  const before = bytes.subarray(0, bodyStart + valueStart)
  return Buffer.concat([
    before,
    Buffer.from(quoteText(model)),
    bytes.subarray(bodyStart + valueEnd),
    lineFeed,
  ])
}

const lineFeed = Buffer.from('\n')

function modelOf(body: BodyBytes): MemberSpan | undefined {
  const scanned = scanObject(body)
  return 'fault' in scanned ? undefined : scanned.members.get('model')
}

export function lineFault(number: number, what: string): GatewayError {
  return new GatewayError('invalid_field', {
    param: 'file',
    message: `Line ${number} of the file ${what}.`,
  })
}

/** A change of one string member. It has no effect on an object without that member. */
export interface TextChange {
  readonly path: readonly [string, ...string[]]
  readonly change: (text: string) => string
}

/** Changes some texts of a JSON object in its bytes. Undefined for a line that is not a JSON object. */
export function changeTexts(bytes: Buffer, changes: readonly TextChange[]): Buffer | undefined {
  let changed = bytes
  for (const { path, change } of changes) {
    const span = findMember(changed, path)
    if (span === 'fault') return undefined
    if (span === undefined) continue
    const value = tryParseJson(changed.toString('utf8', span.start, span.end))
    if (typeof value !== 'string') continue
    const text = Buffer.from(quoteText(change(value)))
    changed = Buffer.concat([changed.subarray(0, span.start), text, changed.subarray(span.end)])
  }
  return changed
}

interface Span {
  readonly start: number
  readonly end: number
}

function findMember(bytes: Buffer, [name, ...inner]: readonly string[]): Span | 'fault' | undefined {
  const scanned = scanObject(BodyBytes.from([bytes]))
  if ('fault' in scanned) return 'fault'
  const member = name === undefined ? undefined : scanned.members.get(name)
  if (member === undefined) return undefined
  const { valueStart, valueEnd } = member
  if (inner.length === 0) return { start: valueStart, end: valueEnd }
  if (bytes[valueStart] !== 0x7b) return undefined
  const found = findMember(bytes.subarray(valueStart, valueEnd), inner)
  if (found === undefined || found === 'fault') return found
  return { start: valueStart + found.start, end: valueStart + found.end }
}

/**
 * The body of the answer in a line of a batch's output; undefined where the line has no body with a good status. Throws
 * `upstream_bad_response` for a line that is not part of an output.
 */
export function readOutputBody(line: Buffer): ReturnType<typeof tryParseJson> {
  const value = tryParseJson(line.toString('utf8'))
  if (!isJsonObject(value))
    throw new GatewayError('upstream_bad_response', { logCause: 'a line of the output is no JSON object' })
  const { response } = value
  if (!isJsonObject(response)) return undefined
  return Number(response['status_code']) < 300 ? response['body'] : undefined
}
