import { createFailure, type Failure } from '../../canonical/failure.ts'
import type { Loss } from '../../canonical/loss.ts'
import type { Usage } from '../../canonical/usage.ts'
import type { SseFrame } from '../../kit/sse/sse-parser.ts'
import type { FrameParser } from '../../wire/frame-parser.ts'
import type { MediaBounds, MediaWatcher } from '../../wire/operations/media-format.ts'
import { completeLineEnd, isLineFeed } from './complete-line-end.ts'
import { frameTooLarge, noParts, type StreamParts, type StreamRelay } from './stream-relay.ts'

export interface EventRelayOptions {
  readonly parser: FrameParser
  readonly watcher: MediaWatcher
  readonly bounds: MediaBounds
}

/**
 * Passes the events of images and sound on byte for byte, each as soon as it is complete. Such streams need no
 * terminator: a stream that ends after the last event of its answer is complete.
 */
export function createEventRelay(options: EventRelayOptions): StreamRelay {
  return new EventRelay(options)
}

class EventRelay implements StreamRelay {
  hasContent = false
  progress = 0
  isComplete = false
  failure: Failure | undefined
  readonly servedTier = undefined
  readonly losses: readonly Loss[] = []
  readonly shownCharacters = 0
  readonly bounds: MediaBounds
  readonly #parser: FrameParser
  readonly #watcher: MediaWatcher

  constructor({ parser, watcher, bounds }: EventRelayOptions) {
    this.#parser = parser
    this.#watcher = watcher
    this.bounds = bounds
  }

  get usage(): Usage | undefined {
    return this.#watcher.usage
  }

  get made(): number {
    return this.#watcher.made
  }

  get heldBytes(): number {
    return this.#parser.pendingBytes
  }

  push(chunk: Buffer): StreamParts {
    if (this.isComplete || this.failure !== undefined) return noParts
    const passed = this.#passAll(this.#parser.push(chunk))
    if (this.#watcher.isTerminated && this.failure === undefined) {
      this.isComplete = true
      return completeLineEnd(passed)
    }
    if (this.#parser.pendingBytes > this.bounds.frameBytes) this.failure ??= frameTooLarge()
    return passed
  }

  end(): StreamParts {
    if (this.isComplete || this.failure !== undefined) return noParts
    const rest = this.#parser.end()
    const passed = rest?.data === undefined ? noParts : this.#passAll([rest])
    this.#endWith(passed.length > 0)
    if (rest !== undefined && isLineFeed(rest.bytes)) return [rest.bytes]
    return passed.length > 0 ? [...passed, '\n\n'] : passed
  }

  /**
   * Ends the stream. The last event may lack its blank line. A last event that was cut off is not JSON and is ignored.
   */
  #endWith(hasLast: boolean): void {
    const isCut = !hasLast && this.failure?.code === 'upstream_bad_response'
    if (this.failure !== undefined && !isCut) return
    this.isComplete = this.#watcher.isDone
    const code = this.hasContent ? 'upstream_disconnected' : 'upstream_empty'
    this.failure = this.isComplete ? undefined : createFailure(code)
  }

  #passAll(frames: readonly SseFrame[]): StreamParts {
    const passed: Buffer[] = []
    for (const frame of frames) {
      if (this.#watcher.isTerminated) break
      const { hasContent, failure } = this.#watcher.inspect(frame)
      this.failure = failure
      if (failure !== undefined) break
      if (hasContent) {
        this.hasContent = true
        this.progress += 1
      }
      // A loop, because there can be more pieces than a call may have arguments.
      for (const piece of frame.pieces ?? [frame.bytes]) passed.push(piece)
    }
    return passed
  }
}
