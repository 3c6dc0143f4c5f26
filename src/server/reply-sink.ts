import type { ServerResponse } from 'node:http'
import { closeWhenStalled } from '../kit/close-when-stalled.ts'
import type { ReplySink } from '../pipeline/reply-sink.ts'

export interface StoppableSink extends ReplySink {
  /** Tells whoever writes that the process must end. */
  stop(): void
}

/** A caller that takes nothing of what waits for it is gone after once to twice as long. */
const STALLED_MS = 30_000

/** Writes an answer to a caller's connection. */
export function createReplySink(response: ServerResponse, stalledMs = STALLED_MS): StoppableSink {
  let isOver = false
  let stopListener: (() => void) | undefined

  let isWatched = false
  let hasWritten = false

  // Starting the watch anew, with every heartbeat say, would put its end off for ever.
  function watchCaller(isWaiting: boolean) {
    if (isWaiting === isWatched) return
    isWatched = isWaiting
    closeWhenStalled(response.socket, isWaiting ? stalledMs : undefined)
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
      // Node holds it back until all else of this turn is done, which the first word need not wait for.
      if (!hasWritten) response.socket?.uncork()
      hasWritten = true
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
