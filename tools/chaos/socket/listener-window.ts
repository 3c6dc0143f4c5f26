import { createServer, type Server, type Socket } from 'node:net'
import type { ListenAddress } from '../../../src/kit/net/listen-address-schema.ts'
import type { Clock, Timer } from '../../../src/kit/time/clock.ts'

/** A time in which nothing listens, in milliseconds since the opening. Without an end it lasts for ever. */
export interface ClosedWindow {
  readonly from?: number | undefined
  readonly for?: number | undefined
}

export interface ListenerWindow {
  readonly port: number
  /** Fulfilled when what was asked of the listener last is done. */
  settled(): Promise<void>
  close(): Promise<void>
}

export interface ListenerWish {
  readonly clock: Clock
  readonly listen: ListenAddress
  readonly closed: readonly ClosedWindow[]
  /** Whether a caller may end its side and still be answered. */
  readonly allowHalfOpen: boolean
  onConnection(socket: Socket): void
}

/** Listens on one port, apart from the windows in which connections are refused. */
export async function openListenerWindow(wish: ListenerWish): Promise<ListenerWindow> {
  const { clock, closed } = wish
  let server = createListener(wish)
  const port = await listenOn(server, wish.listen)
  let work = Promise.resolve()
  const timers: Timer[] = []
  const shut = () => {
    work = work.then(() => closeListener(server))
  }
  const reopen = () => {
    work = work.then(async () => {
      server = createListener(wish)
      await listenOn(server, { ...wish.listen, port })
    })
  }
  const plan = (delayMs: number, act: () => void) => {
    if (delayMs === 0) act()
    else timers.push(clock.startTimer(delayMs, act))
  }
  for (const window of closed) {
    const from = window.from ?? 0
    plan(from, shut)
    if (window.for !== undefined) plan(from + window.for, reopen)
  }
  await work
  return {
    port,
    settled: () => work,
    async close() {
      for (const timer of timers) timer.cancel()
      await work
      await closeListener(server)
    },
  }
}

/** Connections wait until it is decided what becomes of them. */
function createListener({ allowHalfOpen, onConnection }: ListenerWish): Server {
  return createServer({ allowHalfOpen, pauseOnConnect: true }, onConnection)
}

async function listenOn(server: Server, { host, port }: ListenAddress): Promise<number> {
  await new Promise<void>((listening, failed) => {
    server.once('error', failed)
    server.listen(port, host, listening)
  })
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : port
}

/** Live connections go on: the promise does not wait for them. */
async function closeListener(server: Server): Promise<void> {
  if (!server.listening) return
  server.close()
  // The handle is given back in the next turn of the loop.
  await new Promise<void>((done) => process.nextTick(done))
}
