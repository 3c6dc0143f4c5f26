import { createFailure, type Failure } from '../canonical/failure.ts'
import type { Loss } from '../canonical/loss.ts'
import type { Usage } from '../canonical/usage.ts'
import type { UpstreamHeaders } from '../upstream/upstream.ts'
import { isFailure } from './exchange.ts'
import type { Lane } from './lane.ts'
import { nothing, type StreamRelay } from './stream-relay.ts'

/** What an attempt can come to on the upstream's side. */
export type ReadResult =
  /** The stream goes on or has ended well; `bytes` are for the caller. */
  | { readonly type: 'pass'; readonly bytes: Buffer | string; readonly isComplete: boolean }
  | { readonly type: 'whole'; readonly body: Buffer | string; readonly asStream: boolean }
  | { readonly type: 'failure'; readonly bytes: Buffer | string; readonly failure: Failure }
  | { readonly type: 'more' }

/** Reads an upstream's answer as its status and content type say. Synchronous; it knows no sockets. */
export interface AnswerReader {
  push(chunk: Buffer): ReadResult
  end(): ReadResult
  readonly hasContent: boolean
  readonly usage: Usage | undefined
  readonly losses: readonly Loss[]
}

/** A whole answer larger than this is a fault of the upstream. */
const MAX_WHOLE_BYTES = 64 * 1024 * 1024
const MAX_ERROR_BYTES = 64 * 1024
const more: ReadResult = { type: 'more' }

export interface AnswerHead {
  readonly status: number
  readonly headers: UpstreamHeaders
  /** Whether the caller asked for a stream. */
  readonly isStream: boolean
}

export function createAnswerReader(lane: Lane, head: AnswerHead): AnswerReader {
  if (head.status < 200 || head.status >= 300) return createErrorReader(lane, head)
  const contentType = String(head.headers['content-type'] ?? '').toLowerCase()
  const encoding = String(head.headers['content-encoding'] ?? 'identity').toLowerCase()
  if (encoding !== 'identity') return createFaultReader('The model provider compressed its answer unasked.')
  if (contentType.includes('html')) return createFaultReader('The model provider sent a web page.')
  if (!head.isStream) return createWholeReader((body) => lane.readWhole(body), false)
  if (contentType.includes('json')) return createWholeReader((body) => lane.replayWhole(body), true)
  return createStreamAnswerReader(lane.createStreamRelay())
}

function createStreamAnswerReader(relay: StreamRelay): AnswerReader {
  function result(bytes: Buffer | string): ReadResult {
    if (relay.failure !== undefined) return { type: 'failure', bytes, failure: relay.failure }
    return { type: 'pass', bytes, isComplete: relay.isComplete }
  }
  return {
    get hasContent() {
      return relay.hasContent
    },
    get usage() {
      return relay.usage
    },
    get losses() {
      return relay.losses
    },
    push: (chunk) => result(relay.push(chunk)),
    end: () => result(relay.end()),
  }
}

function createWholeReader(read: Lane['readWhole'], asStream: boolean): AnswerReader {
  const chunks: Buffer[] = []
  let bytes = 0
  let usage: Usage | undefined
  let losses: readonly Loss[] = []
  return {
    hasContent: false,
    get usage() {
      return usage
    },
    get losses() {
      return losses
    },
    push(chunk) {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes <= MAX_WHOLE_BYTES) return more
      return fault('The model provider sent an answer that is larger than this gateway takes.')
    },
    end() {
      const reply = read(Buffer.concat(chunks))
      if (isFailure(reply)) return { type: 'failure', bytes: nothing, failure: reply }
      usage = reply.usage
      losses = reply.losses
      return { type: 'whole', body: reply.body, asStream }
    },
  }
}

function createErrorReader(lane: Lane, { status, headers }: AnswerHead): AnswerReader {
  const chunks: Buffer[] = []
  let bytes = 0
  const finish = (): ReadResult => {
    const single: Record<string, string | undefined> = {}
    for (const [name, value] of Object.entries(headers)) {
      single[name] = Array.isArray(value) ? value.join(', ') : value
    }
    const failure = lane.readError({ status, headers: single, body: Buffer.concat(chunks) })
    return { type: 'failure', bytes: nothing, failure }
  }
  return {
    hasContent: false,
    usage: undefined,
    losses: [],
    push(chunk) {
      const room = MAX_ERROR_BYTES - bytes
      chunks.push(chunk.subarray(0, room))
      bytes += chunk.length
      return bytes >= MAX_ERROR_BYTES ? finish() : more
    },
    end: finish,
  }
}

function createFaultReader(message: string): AnswerReader {
  return {
    hasContent: false,
    usage: undefined,
    losses: [],
    push: () => fault(message),
    end: () => fault(message),
  }
}

function fault(message: string): ReadResult {
  return { type: 'failure', bytes: nothing, failure: createFailure('upstream_bad_response', { message }) }
}
