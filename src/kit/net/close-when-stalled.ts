import type { Socket } from 'node:net'

/**
 * Closes a connection on which nothing moves: the system's own timer starts anew whenever the other side takes some of
 * the bytes that wait for it. It looks twice, so that it takes up to twice the time. Undefined stops the watch.
 */
export function closeWhenStalled(socket: Socket | null, stalledMs: number | undefined): void {
  socket?.setTimeout(stalledMs ?? 0)
}
