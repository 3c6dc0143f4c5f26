import { createFailure, type Failure } from '../../canonical/failure.ts'
import type { Loss } from '../../canonical/loss.ts'
import type { ServedTier } from '../../canonical/served-tier.ts'
import type { Usage } from '../../canonical/usage.ts'
import { createSseParser, type SseFrame } from '../../kit/sse/sse-parser.ts'
import { refuseJson } from '../../wire/answer-bounds.ts'
import type { FrameParser } from '../../wire/frame-parser.ts'
import { spliceFrameCost } from '../../wire/verbatim/splice-cost.ts'
import type { StreamWatcher } from '../../wire/watched-reply.ts'
import type { ConversationFormat } from '../../wire/wire-format.ts'
import type { CostOf } from '../exchange/answer-cost.ts'
import { completeLineEnd, isLineFeed } from './complete-line-end.ts'
import { describeUnreadable } from './describe-unreadable.ts'
import {
  frameTooLarge,
  MAX_FRAME_BYTES,
  noParts,
  type StreamParts,
  type StreamRelay,
} from './stream-relay.ts'

/**
 * Passes an upstream's frames on byte for byte and watches them. It leaves out usage for which the gateway asked and
 * the caller did not, events without data, and everything after a fault. It adds the terminator if the upstream ended
 * without one, and the cost of the answer if the caller asks for it.
 */
export function createVerbatimRelay(
  format: ConversationFormat,
  options: VerbatimRelayOptions = {},
): StreamRelay {
  return new VerbatimRelay(format, options)
}

export interface VerbatimRelayOptions {
  /** Whether frames that hold only usage are left out. */
  readonly stripsUsage?: boolean
  /** A parser of server-sent events by default. */
  readonly parser?: FrameParser | undefined
  /** Defined where the caller asks to see the answer's cost in the usage. */
  readonly costOf?: CostOf | undefined
}

class VerbatimRelay implements StreamRelay {
  readonly statesEnd = true
  hasContent = false
  progress = 0
  isComplete = false
  failure: Failure | undefined
  readonly losses: readonly Loss[] = []
  readonly #format: ConversationFormat
  readonly #stripsUsage: boolean
  readonly #parser: FrameParser
  readonly #watcher: StreamWatcher
  readonly #costOf: CostOf | undefined
  #frames = 0
  #frameBytes = 0
  /** Whether the stream ended in a form that clients do not read. */
  #lacksTerminator = false

  constructor(
    format: ConversationFormat,
    { stripsUsage = false, parser = createSseParser(), costOf }: VerbatimRelayOptions,
  ) {
    this.#parser = parser
    this.#format = format
    this.#stripsUsage = stripsUsage
    this.#costOf = costOf
    this.#watcher = format.createStreamWatcher()
  }

  get usage(): Usage | undefined {
    return this.#watcher.usage
  }

  get hasStopReason(): boolean {
    return this.#watcher.hasStopReason
  }

  get servedTier(): ServedTier | undefined {
    return this.#watcher.servedTier
  }

  get heldBytes(): number {
    return this.#parser.pendingBytes
  }

  get shownCharacters(): number {
    return this.#watcher.shownCharacters
  }

  push(chunk: Buffer): StreamParts {
    if (this.isComplete || this.failure !== undefined) return noParts
    const output = this.#pass(this.#parser.push(chunk))
    if (this.#watcher.isTerminated) return this.#terminate(output)
    this.failure ??= this.#parser.failure
    if (this.failure === undefined && this.#parser.pendingBytes > MAX_FRAME_BYTES) {
      this.failure = frameTooLarge()
    }
    return output
  }

  end(): StreamParts {
    if (this.isComplete || this.failure !== undefined) return noParts
    const rest = this.#parser.end()
    const output = rest === undefined ? noParts : this.#endFrame(rest)
    if (this.failure !== undefined) return output
    const { hasStopReason, isTerminated } = this.#watcher
    if (isTerminated) return this.#terminate(output)
    if (hasStopReason) {
      this.isComplete = true
      return [...output, this.#format.terminator]
    }
    this.failure = createFailure(this.hasContent ? 'upstream_disconnected' : 'upstream_empty')
    return output
  }

  /** Ends the answer. A terminator before which there was no content and no stop reason does not end an answer. */
  #terminate(output: StreamParts): StreamParts {
    if (this.failure !== undefined) return output
    this.isComplete = this.hasContent || this.#watcher.hasStopReason
    if (this.isComplete)
      return this.#lacksTerminator ? [...output, this.#format.terminator] : completeLineEnd(output)
    this.failure = createFailure('upstream_empty')
    return noParts
  }

  #pass(frames: readonly SseFrame[]): StreamParts {
    const first = frames[0]
    if (first === undefined) return noParts
    if (frames.length === 1) {
      const only = this.#inspect(first)
      return only === undefined ? noParts : [only]
    }
    const passed: Buffer[] = []
    for (const frame of frames) {
      const bytes = this.#inspect(frame)
      if (this.failure !== undefined) break
      if (bytes !== undefined) passed.push(bytes)
    }
    return joinNeighbours(passed)
  }

  /** The part of a frame that is passed on; undefined where no part is. */
  #inspect(frame: SseFrame): Buffer | undefined {
    if (this.#watcher.isTerminated) return mayFollowEnd(frame) ? frame.bytes : undefined
    this.failure = refuseJson(frame.data ?? '')
    if (this.failure !== undefined) return undefined
    const inspection = this.#watcher.inspect(frame)
    if (inspection.failure !== undefined) {
      const position = { event: this.#frames + 1, byte: this.#frameBytes + 1 }
      this.failure = describeUnreadable(inspection.failure, frame.data, position)
      return undefined
    }
    this.#frames += 1
    this.#frameBytes += frame.bytes.length
    if (inspection.hasContent) {
      this.hasContent = true
      this.progress += 1
    }
    if (inspection.isForeign === true) {
      this.#lacksTerminator = this.#watcher.isTerminated
      return undefined
    }
    if (isEmpty(frame) || (this.#stripsUsage && inspection.isUsageOnly)) return undefined
    return this.#showCost(inspection.bytes ?? frame.bytes)
  }

  /** Writes the cost into usage that comes with the end of the answer or later. Earlier usage is not final. */
  #showCost(frame: Buffer): Buffer {
    const costOf = this.#costOf
    if (costOf === undefined || !this.#watcher.hasStopReason) return frame
    const { usage, servedTier } = this.#watcher
    if (usage === undefined) return frame
    return spliceFrameCost(frame, this.#format.eventUsagePath, () => costOf({ usage, servedTier })) ?? frame
  }

  /**
   * Reads a last frame without its blank line. Such a frame is used only if it is complete (its data parses) or reports
   * a failure.
   */
  #endFrame(rest: SseFrame): StreamParts {
    if (isLineFeed(rest.bytes)) return [rest.bytes]
    if (rest.data === undefined) {
      this.#inspect(rest)
      // A frame that is cut before its data ends reports nothing.
      if (this.failure?.code === 'upstream_bad_response') this.failure = undefined
      return noParts
    }
    const bytes = this.#inspect(rest)
    if (this.failure?.code === 'upstream_bad_response') this.failure = createFailure('upstream_disconnected')
    return bytes === undefined ? noParts : [bytes, '\n\n']
  }
}

/**
 * Whether a frame may follow the end of the answer. Some servers of other formats add the chat format's terminator to
 * their own. Only this terminator and comments are passed on.
 */
function mayFollowEnd({ event, data }: SseFrame): boolean {
  return data === undefined ? event === undefined : data.trimEnd() === '[DONE]'
}

/** Whether an event has no data. The standard ignores such an event, but some clients read it as broken JSON. */
function isEmpty({ event, data }: SseFrame): boolean {
  return data === '' || (data === undefined && event !== undefined)
}

/** Joins frames that are next to each other in one chunk into one view of the chunk, without a copy. */
function joinNeighbours(parts: readonly Buffer[]): readonly Buffer[] {
  const joined: Buffer[] = []
  for (const part of parts) {
    const last = joined.at(-1)
    const isNeighbour = last?.buffer === part.buffer && last.byteOffset + last.length === part.byteOffset
    if (last === undefined || !isNeighbour) joined.push(part)
    else joined[joined.length - 1] = Buffer.from(last.buffer, last.byteOffset, last.length + part.length)
  }
  return joined
}
