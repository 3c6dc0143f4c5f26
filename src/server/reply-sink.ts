import type { ServerResponse } from 'node:http'
import type { ReplySink } from '../pipeline/reply-sink.ts'

export interface StoppableSink extends ReplySink {
  /** Tells whoever writes that the process must end. */
  stop(): void
}

/** Writes an answer to a caller's connection. */
export function createReplySink(response: ServerResponse): StoppableSink {
  let isOver = false
  let stopListener: (() => void) | undefined
  return {
    stop: () => stopListener?.(),
    onStop(listener) {
      stopListener = listener
    },
    start(status, headers) {
      if (!response.destroyed) response.writeHead(status, headers)
    },
    write(bytes) {
      if (isOver || response.destroyed) return true
      return response.write(bytes)
    },
    end(last) {
      isOver = true
      response.end(last)
    },
    cut() {
      isOver = true
      // Sends what was written, then closes without the last chunk that would make the body whole.
      response.socket?.destroySoon()
    },
    onDrain(listener) {
      response.on('drain', listener)
    },
    onGone(listener) {
      response.on('close', () => {
        if (!isOver) listener()
      })
    },
  }
}
