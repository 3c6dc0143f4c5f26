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
import { describeUnreadable } from './describe-unreadable.ts'
import {
  frameTooLarge,
  MAX_FRAME_BYTES,
  noParts,
  type StreamParts,
  type StreamRelay,
} from './stream-relay.ts'

/**
 * Passes an upstream's frames on byte for byte and watches them. Left out: usage that we asked for and the caller did
 * not, events without data, and whatever follows a fault. Added: the terminator, where the upstream finished and forgot
 * it; what the answer costs, where the caller asks for that.
 */
export function createVerbatimRelay(
  format: ConversationFormat,
  options: VerbatimRelayOptions = {},
): StreamRelay {
  return new VerbatimRelay(format, options)
}

export interface VerbatimRelayOptions {
  /** Whether frames that hold usage alone are left out. */
  readonly stripsUsage?: boolean
  /** Server-sent events by default. */
  readonly parser?: FrameParser | undefined
  /** Set where the caller asks to see the answer's cost in the usage. */
  readonly costOf?: CostOf | undefined
}

class VerbatimRelay implements StreamRelay {
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

  /** A terminator with nothing before it, not even a reason for the end, ends no answer. */
  #terminate(output: StreamParts): StreamParts {
    if (this.failure !== undefined) return output
    this.isComplete = this.hasContent || this.#watcher.hasStopReason
    if (this.isComplete) return this.#lacksTerminator ? [...output, this.#format.terminator] : output
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

  /** The part of a frame that goes on; undefined where nothing does. */
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

  /** Writes the cost into usage that comes with the end of the answer or after it; usage before it is not yet whole. */
  #showCost(frame: Buffer): Buffer {
    const costOf = this.#costOf
    if (costOf === undefined || !this.#watcher.hasStopReason) return frame
    const { usage, servedTier } = this.#watcher
    if (usage === undefined) return frame
    return spliceFrameCost(frame, this.#format.eventUsagePath, () => costOf({ usage, servedTier })) ?? frame
  }

  /**
   * A last frame without its blank line counts only if it is whole (its data parses), or says that something failed.
   */
  #endFrame(rest: SseFrame): StreamParts {
    if (isLineFeed(rest.bytes)) return [rest.bytes]
    if (rest.data === undefined) {
      this.#inspect(rest)
      // A frame that is cut before its data ends says nothing yet.
      if (this.failure?.code === 'upstream_bad_response') this.failure = undefined
      return noParts
    }
    const bytes = this.#inspect(rest)
    if (this.failure?.code === 'upstream_bad_response') this.failure = createFailure('upstream_disconnected')
    return bytes === undefined ? noParts : [bytes, '\n\n']
  }
}

/** Some servers of other formats add the chat format's terminator to their own; but for comments all else is noise. */
function mayFollowEnd({ event, data }: SseFrame): boolean {
  return data === undefined ? event === undefined : data.trimEnd() === '[DONE]'
}

/** Whether an event is without data: nothing by the standard, and broken JSON to clients that read it all the same. */
function isEmpty({ event, data }: SseFrame): boolean {
  return data === '' || (data === undefined && event !== undefined)
}

/**
 * The second half of the line end behind the last frame, without which some clients do not take the frame for whole.
 */
function isLineFeed(bytes: Buffer): boolean {
  return bytes.length === 1 && bytes[0] === 0x0a
}

/** Frames that lie side by side in one chunk become one view of it, without a copy. */
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
