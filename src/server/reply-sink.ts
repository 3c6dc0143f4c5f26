import type { ServerResponse } from 'node:http'
import type { ReplySink } from '../pipeline/reply-sink.ts'

export interface StoppableSink extends ReplySink {
  /** Tells whoever writes that the process must end. */
  stop(): void
}

/** A caller that takes nothing of what waits for it, for so long, is gone. */
const STALLED_MS = 60_000

/** Writes an answer to a caller's connection. */
export function createReplySink(response: ServerResponse, stalledMs = STALLED_MS): StoppableSink {
  let isOver = false
  let stopListener: (() => void) | undefined

  // The connection's own timer starts anew whenever the other side takes some of the bytes, and closes it at its end.
  function watchCaller(isWaiting: boolean) {
    response.socket?.setTimeout(isWaiting ? stalledMs : 0)
  }

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
      const mayGoOn = response.write(bytes)
      if (!mayGoOn) watchCaller(true)
      return mayGoOn
    },
    end(last) {
      isOver = true
      response.end(last)
      if (response.writableLength > 0) watchCaller(true)
    },
    cut() {
      isOver = true
      // Sends what was written, then closes without the last chunk that would make the body whole.
      watchCaller(true)
      response.socket?.destroySoon()
    },
    onDrain(listener) {
      response.on('drain', () => {
        watchCaller(false)
        listener()
      })
    },
    onGone(listener) {
      response.on('close', () => {
        if (!isOver) listener()
      })
    },
  }
}
