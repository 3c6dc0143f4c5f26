import type { Socket } from 'node:net'

/**
 * Closes a connection on which no bytes move. The system's timer restarts whenever the peer accepts some of the
 * waiting bytes. The timer checks twice, so closing takes up to twice the time. Undefined stops the watch.
 */
export function closeWhenStalled(socket: Socket | null, stalledMs: number | undefined): void {
  socket?.setTimeout(stalledMs ?? 0)
}
