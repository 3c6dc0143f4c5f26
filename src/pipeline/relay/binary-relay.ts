import { createFailure, type Failure } from '../../canonical/failure.ts'
import type { Loss } from '../../canonical/loss.ts'
import type { Usage } from '../../canonical/usage.ts'
import type { MediaBounds } from '../../wire/operations/media-format.ts'
import { noParts, type StreamParts, type StreamRelay } from './stream-relay.ts'

export interface BinaryRelayOptions {
  /** The content type for the caller; undefined where `writeChunk` turns the bytes into events. */
  readonly contentType: string | undefined
  /** Turns bytes into an event; undefined where the bytes are passed on unchanged. */
  readonly writeChunk?: (bytes: Buffer) => string
  /** The event that ends a stream of events. */
  readonly writeEnd?: (usage: Usage) => string
  /** Estimates the usage of the answer, which its bytes do not state. */
  readonly usage: () => Usage
  readonly bounds: MediaBounds
}

/** Passes bytes on as they arrive, chunk by chunk, so that no part of an answer is held. */
export function createBinaryRelay(options: BinaryRelayOptions): StreamRelay {
  return new BinaryRelay(options)
}

class BinaryRelay implements StreamRelay {
  hasContent = false
  progress = 0
  isComplete = false
  failure: Failure | undefined
  readonly shownCharacters = 0
  readonly servedTier = undefined
  readonly losses: readonly Loss[] = []
  readonly heldBytes = 0
  readonly bounds: MediaBounds
  readonly contentType: string | undefined
  readonly #options: BinaryRelayOptions
  #usage: Usage | undefined

  constructor(options: BinaryRelayOptions) {
    this.#options = options
    this.bounds = options.bounds
    this.contentType = options.contentType
  }

  /** The provider has made all of the answer once its first bytes arrive. */
  get usage(): Usage | undefined {
    if (this.hasContent) this.#usage ??= this.#options.usage()
    return this.#usage
  }

  push(chunk: Buffer): StreamParts {
    if (chunk.length === 0 || this.failure !== undefined) return noParts
    this.hasContent = true
    this.progress += 1
    return [this.#options.writeChunk?.(chunk) ?? chunk]
  }

  end(): StreamParts {
    const { usage } = this
    this.isComplete = usage !== undefined
    if (usage === undefined) this.failure = createFailure('upstream_empty')
    const last = usage === undefined ? undefined : this.#options.writeEnd?.(usage)
    return last === undefined ? noParts : [last]
  }
}
