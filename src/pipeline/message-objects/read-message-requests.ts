import { GatewayError } from '../../canonical/failure.ts'
import type { BodyBytes } from '../../kit/json/body-bytes.ts'
import { elementsOf, type JsonSpan, membersOf, stringOf } from '../../kit/json/json-spans.ts'
import { scanObject } from '../../kit/json/scan-object.ts'
import { nextTurn } from '../../kit/time/clock.ts'
import { scanError } from '../../wire/verbatim/scan-body.ts'

/** The limits of https://platform.claude.com/docs/en/build-with-claude/batch-processing, seen 2026-11-25. */
const MAX_REQUESTS = 100_000
const CUSTOM_ID = /^[\w-]{1,64}$/
/** The number of requests after which others get a turn. */
const REQUESTS_A_TURN = 50

/** One request of a batch, with the bytes of its body. */
export interface MessageRequest {
  /** The number of the request, from 1. */
  readonly number: number
  readonly customId: string
  readonly params: Buffer
}

/** The requests in the body of a batch, one after the other. Rejects with `GatewayError`. */
export async function* readMessageRequests(body: BodyBytes): AsyncGenerator<MessageRequest, void> {
  const bytes = body.chunks.length === 1 ? (body.chunks[0] ?? noBytes) : Buffer.concat(body.chunks)
  const seen = new Set<string>()
  let number = 0
  for (const span of elementsOf(bytes, findRequests(body))) {
    number += 1
    if (number > MAX_REQUESTS)
      throw new GatewayError('request_too_large', {
        param: 'requests',
        message: `The batch has more than ${MAX_REQUESTS} requests.`,
      })
    const { customId, params } = readRequest(bytes, span, number)
    if (seen.has(customId)) throw requestFault(number, 'has the "custom_id" of another request')
    seen.add(customId)
    yield { number, customId, params: bytes.subarray(params.start, params.end) }
    if (number % REQUESTS_A_TURN === 0) await nextTurn()
  }
  if (number === 0) throw invalidRequests('must not be empty')
}

const noBytes = Buffer.alloc(0)

function findRequests(body: BodyBytes): JsonSpan {
  if (body.length === 0) throw new GatewayError('body_not_object')
  if (!body.inspection.isUtf8) throw new GatewayError('invalid_utf8')
  const scanned = scanObject(body)
  if ('fault' in scanned) throw scanError(scanned)
  const [unknown] = [...scanned.members.values()].filter(({ name }) => name !== 'requests')
  if (unknown !== undefined)
    throw new GatewayError('invalid_field', {
      param: unknown.name,
      message: `A batch has no field ${JSON.stringify(unknown.name.slice(0, 256))}; it has "requests" alone.`,
    })
  const field = scanned.members.get('requests')
  if (field === undefined) throw new GatewayError('missing_field', { param: 'requests' })
  if (body.at(field.valueStart) !== 0x5b) throw invalidRequests('must be an array')
  return { start: field.valueStart, end: field.valueEnd }
}

function readRequest(bytes: Buffer, span: JsonSpan, number: number) {
  const members = membersOf(bytes, span)
  const customId = stringOf(bytes, members.get('custom_id'))
  if (customId === undefined || !CUSTOM_ID.test(customId))
    throw requestFault(number, 'has no "custom_id" of 1 to 64 letters, digits, "_" or "-"')
  const params = members.get('params')
  if (params === undefined || bytes[params.start] !== 0x7b)
    throw requestFault(number, 'has no object as its "params"')
  return { customId, params }
}

function invalidRequests(what: string): GatewayError {
  return new GatewayError('invalid_field', { param: 'requests', message: `The field "requests" ${what}.` })
}

export function requestFault(number: number, what: string): GatewayError {
  return new GatewayError('invalid_field', {
    param: 'requests',
    message: `Request ${number} of the batch ${what}.`,
  })
}
