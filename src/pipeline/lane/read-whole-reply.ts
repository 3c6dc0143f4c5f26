import { refuseReply } from '../../canonical/answer-size.ts'
import { createFailure, type Failure, isFailure } from '../../canonical/failure.ts'
import { countReplyCharacters, type Reply } from '../../canonical/reply.ts'
import { unfoldReply } from '../../canonical/unfold-reply.ts'
import { inOneStep, runToEnd, type Steps } from '../../kit/async/steps.ts'
import type { JsonValue } from '../../kit/json/json.ts'
import { isParseFault, parseJsonInSteps } from '../../kit/json/parse-json.ts'
import { parseLongArrays } from '../../kit/json/parse-long-arrays.ts'
import { type JsonBounds, JsonWalk } from '../../kit/json/scan-object.ts'
import { answerBounds, refuseExceeded, refuseJson, vectorBounds } from '../../wire/answer-bounds.ts'
import type { StreamWriter } from '../../wire/reply-stream.ts'
import type { ChannelFormat } from '../../wire/wire-format.ts'
import { type CostOf, priceEnd } from '../exchange/answer-cost.ts'
import type { FailedUsage, WholeReply } from './lane.ts'

/** Parses a whole answer; leading white space (sent to keep connections open) is part of JSON. */
export function parseReply(body: Buffer): Steps<Parsed> {
  return parse(body, wholeReading)
}

/**
 * Parses a whole answer that is only watched. Its bytes are passed on unchanged, so long numbers may lose digits here.
 */
export function parseWatchedInSteps(body: Buffer): Steps<Parsed> {
  return parse(body, { read: parsePlain, bounds: answerBounds })
}

/** The number of characters that are checked in one step. */
const PART_CHARACTERS = 2 * 1024 * 1024

/**
 * Parses an answer of vectors. It holds more numbers than the answer of any conversation, and none of them is a long
 * integer.
 */
export function* parseVectors(body: Buffer): Steps<Parsed> {
  const text = body.toString('utf8')
  yield
  const walk = new JsonWalk(text, vectorBounds)
  for (let until = PART_CHARACTERS; !walk.isOver; until += PART_CHARACTERS) {
    const exceeded = walk.walk(until)
    if (exceeded !== undefined) return refuseExceeded(exceeded)
    yield
  }
  try {
    return { type: 'parsed', json: yield* parseLongArrays(text, walk.longArrays) }
  } catch (error) {
    if (!isParseFault(error)) throw error
    return createFailure('upstream_bad_response')
  }
}

interface Reading {
  readonly read: (text: string) => Steps<JsonValue>
  readonly bounds: JsonBounds
}

/** Parses JSON. Long numbers may lose digits. */
function parsePlain(text: string): Steps<JsonValue> {
  return inOneStep<JsonValue>(() => JSON.parse(text))
}

const wholeReading: Reading = { read: parseJsonInSteps, bounds: answerBounds }

type Parsed = { readonly type: 'parsed'; readonly json: JsonValue } | Failure

function* parse(body: Buffer, { read, bounds }: Reading): Steps<Parsed> {
  const text = body.toString('utf8')
  const failure = refuseJson(text, bounds)
  if (failure !== undefined) return failure
  yield
  try {
    return { type: 'parsed', json: yield* read(text) }
  } catch (error) {
    if (!isParseFault(error)) throw error
    return createFailure('upstream_bad_response')
  }
}

/** Parses and reads a whole answer. Refuses an answer that has more parts than any real one. */
export function* readReplyBody(
  format: Pick<ChannelFormat, 'readReplyInSteps'>,
  body: Buffer,
): Steps<Reply | Failure> {
  const parsed = yield* parse(body, wholeReading)
  if (isFailure(parsed)) return parsed
  yield
  const reply = yield* format.readReplyInSteps(parsed.json)
  return isFailure(reply) ? reply : (refuseReply(reply) ?? reply)
}

/** The size up to which a failed answer is read again, at once, for its usage. */
const MAX_FAILED_BYTES = 256 * 1024

/** Finds the usage of a whole answer that failed. */
export function findFailedUsage(
  { watchReply }: Pick<ChannelFormat, 'watchReply'>,
  body: Buffer,
): FailedUsage {
  if (body.length > MAX_FAILED_BYTES) return {}
  const parsed = runToEnd(parseWatchedInSteps(body))
  return isFailure(parsed) ? {} : watchReply(parsed.json)
}

/** The number of events, or of characters, that are written in one turn. */
const PAUSE_EVENTS = 2_048
const PAUSE_CHARACTERS = 1024 * 1024

export interface Replay {
  readonly writer: StreamWriter
  /** Defined where the caller asks to see the answer's cost in the usage. */
  readonly costOf: CostOf | undefined
}

/** Writes a whole answer as the stream that the caller asked for. */
export function* writeReplay(reply: Reply, { writer, costOf }: Replay): Steps<WholeReply> {
  const { usage, serviceTier: servedTier } = reply
  yield
  const parts: Buffer[] = []
  let text = ''
  for (const [index, event] of unfoldReply(reply).entries()) {
    text += writer.push(event.type === 'reply-end' ? priceEnd(event, costOf, { usage, servedTier }) : event)
    if (event.type === 'logprobs-delta') yield
    if (index % PAUSE_EVENTS !== PAUSE_EVENTS - 1 && text.length < PAUSE_CHARACTERS) continue
    yield
    // Encoding all of the text at once would take longer than any single event.
    parts.push(Buffer.from(text))
    text = ''
    yield
  }
  const body = parts.length === 0 ? text : Buffer.concat([...parts, Buffer.from(text)])
  return { body, usage, servedTier, losses: writer.losses, shownCharacters: countReplyCharacters(reply) }
}

/** Writes a whole answer as JSON. */
export function encodeWhole(value: JsonValue): Steps<Buffer> {
  return encodeWholeText(JSON.stringify(value))
}

/** Encodes a whole answer. A large answer is encoded in its own step, before it is sent. */
export function* encodeWholeText(text: string): Steps<Buffer> {
  if (text.length >= PAUSE_CHARACTERS) yield
  return Buffer.from(text)
}
