import { createFailure, type Failure } from '../../../canonical/failure.ts'
import { addUsage, countsSomething, type Usage } from '../../../canonical/usage.ts'
import { BodyBytes } from '../../../kit/json/body-bytes.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { scanObject } from '../../../kit/json/scan-object.ts'
import { tryParseJson } from '../../../kit/json/try-parse-json.ts'
import type { SseFrame } from '../../../kit/sse/sse-parser.ts'
import { readErrorInAnswer } from '../../errors/read-error.ts'
import type { MediaInspection, MediaWatcher } from '../../operations/media-format.ts'

export interface MediaEvents {
  /** Whether an event of this type contains a part of the answer. */
  readonly isContent: (type: string) => boolean
  /** Whether an event of this type ends the answer or one of its parts. */
  readonly isEnd: (type: string) => boolean
  /** The expected number of end events. */
  readonly ends: number
  readonly readUsage: (usage: JsonValue | undefined) => Usage | undefined
  /** The usage for a stream that showed content but reported no usage, or zeros. `made` parts of it have begun. */
  readonly estimate: (made: number) => Usage
}

/** Watches the events of OpenAI's image and audio streams. Their large fields are never parsed. */
export function createMediaWatcher(events: MediaEvents): MediaWatcher {
  return new EventWatcher(events)
}

class EventWatcher implements MediaWatcher {
  readonly #events: MediaEvents
  #stated: Usage | undefined
  #ends = 0
  #hasContent = false
  /** Whether the last event showed a part of the answer that has not ended. */
  #isWithinPart = false
  #sawTerminator = false

  constructor(events: MediaEvents) {
    this.#events = events
  }

  /**
   * The reported usage, else an estimate. An answer that showed content was generated even if its end never arrives.
   */
  get usage(): Usage | undefined {
    if (countsSomething(this.#stated) || !this.#hasContent) return this.#stated
    return this.#events.estimate(this.made)
  }

  get made(): number {
    return this.#ends + (this.#isWithinPart ? 1 : 0)
  }

  get isDone(): boolean {
    return this.#ends > 0
  }

  get isTerminated(): boolean {
    return this.#sawTerminator || this.#ends >= this.#events.ends
  }

  inspect(frame: SseFrame): MediaInspection {
    const fields = readFields(frame)
    if (fields === 'no-data') return nothing
    if (fields === 'done') {
      this.#sawTerminator = this.isDone
      return nothing
    }
    if (fields === undefined) return { hasContent: false, failure: createFailure('upstream_bad_response') }
    const type = typeof fields['type'] === 'string' ? fields['type'] : (frame.event ?? '')
    if (type === 'error' || isJsonObject(fields['error']))
      return { hasContent: false, failure: failureIn(fields) }
    if (this.#events.isEnd(type)) {
      this.#ends += 1
      const usage = this.#events.readUsage(fields['usage'])
      if (usage !== undefined)
        this.#stated = this.#stated === undefined ? usage : addUsage(this.#stated, usage)
    } else if (!this.#events.isContent(type)) return nothing
    this.#isWithinPart = !this.#events.isEnd(type)
    this.#hasContent = true
    return { hasContent: true }
  }
}

const nothing: MediaInspection = { hasContent: false }

function failureIn(fields: JsonObject): Failure {
  const error = isJsonObject(fields['error']) ? fields : { error: fields }
  return readErrorInAnswer(error) ?? createFailure('upstream_bad_response')
}

/** The fields that are read. The others may contain tens of millions of characters. */
const watched = ['type', 'usage', 'error', 'message', 'code', 'param'] as const

const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

/**
 * Reads the watched fields of an event; undefined where its data is not a JSON object. The frame's text is decoded only
 * if it has no braces.
 */
function readFields(frame: SseFrame): JsonObject | 'no-data' | 'done' | undefined {
  const found = readMembers(betweenBraces(frame), watched)
  if (found !== undefined) return found
  const { data } = frame
  if (data === undefined || data === '') return 'no-data'
  if (data.trimEnd() === '[DONE]') return 'done'
  const parsed = tryParseJson(data)
  return isJsonObject(parsed) ? parsed : undefined
}

/**
 * Returns the pieces of a frame from its first opening brace to its last closing brace; empty where either is missing.
 */
function betweenBraces(frame: SseFrame): readonly Buffer[] {
  // Reading `bytes` would join the pieces of the frame.
  const pieces = frame.pieces ?? [frame.bytes]
  const first = pieces.findIndex((piece) => piece.includes(OPEN_BRACE))
  const last = pieces.findLastIndex((piece) => piece.includes(CLOSE_BRACE))
  const between = pieces.slice(first === -1 ? pieces.length : first, last + 1)
  const end = between.pop()
  if (end !== undefined) between.push(end.subarray(0, end.lastIndexOf(CLOSE_BRACE) + 1))
  const start = between.shift()
  if (start !== undefined) between.unshift(start.subarray(start.indexOf(OPEN_BRACE)))
  return between
}

/**
 * Reads some members of a JSON object. The other members are scanned but not parsed. Undefined where the bytes are not
 * an object.
 */
export function readMembers(pieces: readonly Buffer[], names: readonly string[]): JsonObject | undefined {
  const body = BodyBytes.from(pieces)
  if (!body.inspection.isUtf8) return undefined
  const scanned = scanObject(body)
  if ('fault' in scanned) return undefined
  const fields: Record<string, JsonValue> = {}
  for (const name of names) {
    const member = scanned.members.get(name)
    const value = member === undefined ? undefined : tryParseJson(body.textOf(member))
    if (value !== undefined) fields[name] = value
  }
  return fields
}
