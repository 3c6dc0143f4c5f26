import type { Socket } from 'node:net'
import type { Clock } from '../kit/time/clock.ts'

/** The time for the answer to arrive, before a caller that keeps sending or does not close is disconnected. */
const ARRIVAL_MS = 1_000

/** Sends the last bytes on a connection that Node's server has handed over, and closes it. */
export function endConnection(socket: Socket, answer: string, clock: Pick<Clock, 'startTimer'>): void {
  socket.end(answer)
  // Bytes that still arrive are discarded. If the socket were closed with unread bytes, the connection would be reset
  // and the answer lost.
  socket.resume()
  const timer = clock.startTimer(ARRIVAL_MS, () => socket.destroy())
  socket.once('close', () => timer.cancel())
}
