import { createFailure, type Failure } from '../canonical/failure.ts'
import { createSseParser, type SseFrame } from '../kit/sse-parser.ts'
import type { WireFormat } from '../wire/wire-format.ts'
import { MAX_FRAME_BYTES, nothing, type StreamRelay } from './stream-relay.ts'

/**
 * Passes an upstream's frames on byte for byte and watches them. Left out: usage that we asked for and the caller did
 * not, and whatever follows a fault. Added: the terminator, where the upstream finished and forgot it.
 */
export function createVerbatimRelay(format: WireFormat, stripUsage: boolean): StreamRelay {
  const parser = createSseParser()
  const watcher = format.createStreamWatcher()
  let hasContent = false
  let failure: Failure | undefined
  let isComplete = false

  function mayPass(frame: SseFrame): boolean {
    if (frame.data === undefined) return true
    const sight = watcher.see(frame)
    if (sight.failure !== undefined) {
      failure = sight.failure
      return false
    }
    if (sight.content) hasContent = true
    return !(stripUsage && sight.usageOnly)
  }

  function pass(frames: readonly SseFrame[]): Buffer {
    const first = frames[0]
    if (first === undefined) return nothing
    if (frames.length === 1) return mayPass(first) ? first.bytes : nothing
    const passed: Buffer[] = []
    for (const frame of frames) {
      const may = mayPass(frame)
      if (failure !== undefined) break
      if (may) passed.push(frame.bytes)
    }
    return joinNeighbours(passed)
  }

  return {
    get hasContent() {
      return hasContent
    },
    get isComplete() {
      return isComplete
    },
    get failure() {
      return failure
    },
    get usage() {
      return watcher.usage
    },
    losses: [],
    push(chunk) {
      if (isComplete || failure !== undefined) return nothing
      const output = pass(parser.push(chunk))
      if (watcher.terminated) isComplete = true
      if (failure === undefined && parser.pendingBytes > MAX_FRAME_BYTES) {
        failure = createFailure('upstream_bad_response', {
          message: 'The model provider sent one event that is larger than this gateway takes.',
        })
      }
      return output
    },
    end() {
      if (isComplete || failure !== undefined) return nothing
      const rest = parser.end()
      const output = rest === undefined ? nothing : endFrame(rest)
      if (failure !== undefined) return output
      if (watcher.finished || watcher.terminated) {
        isComplete = true
        return watcher.terminated ? output : Buffer.concat([output, Buffer.from(format.terminator)])
      }
      failure = createFailure(hasContent ? 'upstream_disconnected' : 'upstream_empty')
      return output
    },
  }

  /** A last frame without its blank line counts only if it is whole (its data parses). */
  function endFrame(rest: SseFrame): Buffer {
    if (rest.data === undefined) return nothing
    const may = mayPass(rest)
    if (failure?.code === 'upstream_bad_response') failure = createFailure('upstream_disconnected')
    return may ? Buffer.concat([rest.bytes, Buffer.from('\n\n')]) : nothing
  }
}

/** Frames that lie side by side in one chunk are passed on as one view of it, without a copy. */
function joinNeighbours(parts: readonly Buffer[]): Buffer {
  const first = parts[0]
  if (first === undefined) return nothing
  let end = first.byteOffset
  for (const part of parts) {
    if (part.buffer !== first.buffer || part.byteOffset !== end) return Buffer.concat(parts)
    end += part.length
  }
  return Buffer.from(first.buffer, first.byteOffset, end - first.byteOffset)
}
