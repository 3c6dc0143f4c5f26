import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '../kit/time/clock.ts'
import { acceptNoMoreRequests } from './listener/serve-in-turn.ts'

/** The time for the answer to arrive, before a caller that keeps sending or does not close is disconnected. */
const ARRIVAL_MS = 1_000
/** The number of such times for which a caller may go on with a refused upload, as long as its bytes arrive. */
const MAX_ARRIVALS = 30

/** Sends the last bytes on a connection that Node's server has handed over, and closes it. */
export function endConnection(socket: Socket, answer: string, clock: Pick<Clock, 'startTimer'>): void {
  socket.end(answer)
  // Bytes that still arrive are discarded. If the socket were closed with unread bytes, the connection would be reset
  // and the answer lost.
  socket.resume()
  const timer = clock.startTimer(ARRIVAL_MS, () => socket.destroy())
  socket.once('close', () => timer.cancel())
}

interface UnreadArrival {
  readonly message: IncomingMessage
  readonly response: ServerResponse
}

/**
 * Closes the connection after the answer, since an unread body must not be parsed as the next request. A caller that
 * still uploads gets the answer first: Node itself would close the socket with unread bytes. Node and the answer's sink
 * close it by `destroySoon`. The test test/e2e/refused-uploads.test.ts checks that a newer Node still does.
 */
export function closeAfterAnswer(
  { message, response }: UnreadArrival,
  clock: Pick<Clock, 'startTimer'>,
): void {
  const { socket } = message
  response.shouldKeepAlive = false
  acceptNoMoreRequests(socket)
  socket.destroySoon = () => {
    socket.end(() => discardRest(message, clock))
  }
}

/**
 * Discards the rest of a body after its answer was sent, while it arrives. A client that sends its whole upload before
 * it reads would lose the answer with the connection.
 */
function discardRest(message: IncomingMessage, clock: Pick<Clock, 'startTimer'>): void {
  const { socket } = message
  if (message.complete || socket.destroyed) {
    socket.destroy()
    return
  }
  let bytesRead = socket.bytesRead
  let arrivals = 0
  const timer = clock.startTimer(ARRIVAL_MS, () => {
    arrivals += 1
    if (socket.bytesRead === bytesRead || arrivals === MAX_ARRIVALS) {
      socket.destroy()
      return
    }
    bytesRead = socket.bytesRead
    timer.restart()
  })
  socket.once('close', () => timer.cancel())
  message.once('end', () => socket.destroy())
  message.resume()
}
