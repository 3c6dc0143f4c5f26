import type { Socket } from 'node:net'
import { createSeededRandom } from '../../../src/kit/random/seeded-random.ts'
import type { Clock } from '../../../src/kit/time/clock.ts'
import { isConnectionMatch } from '../script/match-rule.ts'
import type { ConnectionFault, UpstreamScript } from '../script/script-schema.ts'
import { closeSocket } from '../socket/close-socket.ts'
import type { TlsServer } from './open-tls-server.ts'

export interface Admission {
  readonly clock: Clock
  readonly script: UpstreamScript
  readonly tls: TlsServer | undefined
  readonly seed: number
  readonly connection: { readonly number: number; readonly atMs: number }
  /** The connection is ready for requests; it is still paused. */
  onReady(socket: Socket, idleCloseMs: number | undefined): void
}

/** The bytes are no TLS record: its version does not exist. */
const GARBAGE = Buffer.from('\x7f\x7fthis is no handshake\r\n', 'latin1')
const noFault: ConnectionFault = {}

/** Applies the first rule that holds for a connection before any request on it, or none. */
export function admitConnection(socket: Socket, admission: Admission): void {
  const fault = chooseFault(admission)
  if (fault.never_read === true) return
  afterDelay(socket, { clock: admission.clock, delayMs: fault.delay }, () => {
    const { tls } = admission
    if (fault.greeting !== undefined) socket.write(fault.greeting)
    if (fault.close !== undefined) closeSocket(socket, fault.close)
    else if (tls === undefined) admission.onReady(socket, fault.idle_close)
    else shakeHands(socket, { fault, tls, admission })
  })
}

function chooseFault({ script, seed, connection }: Admission): ConnectionFault {
  const rule = script.connections.find(({ when }, index) =>
    isConnectionMatch(when, connection, createSeededRandom(seed, -connection.number, index)),
  )
  return rule?.do ?? noFault
}

interface Handshake {
  readonly fault: ConnectionFault
  readonly tls: TlsServer
  readonly admission: Admission
}

function shakeHands(socket: Socket, { fault, tls, admission }: Handshake): void {
  const { handshake } = fault
  const accept = () => tls.accept(socket, (secure) => admission.onReady(secure, fault.idle_close))
  switch (handshake) {
    case 'never':
      return
    case 'garbage':
      // Read to its end, so that the close is no reset that could overtake the bytes.
      socket.resume().once('end', () => socket.destroy())
      socket.end(GARBAGE)
      return
    case 'reset':
    case 'close':
      closeSocket(socket, handshake === 'reset' ? 'reset' : 'fin')
      return
    default:
      afterDelay(socket, { clock: admission.clock, delayMs: handshake }, accept)
  }
}

interface Delay {
  readonly clock: Clock
  readonly delayMs: number | undefined
}

/** Does nothing where the caller has left by then. */
function afterDelay(socket: Socket, { clock, delayMs }: Delay, act: () => void): void {
  if (delayMs === undefined) {
    act()
    return
  }
  const timer = clock.startTimer(delayMs, () => {
    if (!socket.destroyed) act()
  })
  socket.once('close', timer.cancel)
}
