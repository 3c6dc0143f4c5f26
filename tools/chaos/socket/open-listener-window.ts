import { createServer, type Server, type Socket } from 'node:net'
import type { ListenAddress } from '../../../src/kit/net/listen-address-schema.ts'
import type { Clock, Timer } from '../../../src/kit/time/clock.ts'

/** A time in which nothing listens, in milliseconds since the start. Without `for` it does not end. */
export interface ClosedWindow {
  readonly from?: number | undefined
  readonly for?: number | undefined
}

export interface ListenerWindow {
  readonly port: number
  /** Fulfilled once the listener has opened or closed as last planned. */
  idle(): Promise<void>
  close(): Promise<void>
}

export interface ListenerOptions {
  readonly clock: Clock
  readonly listen: ListenAddress
  readonly closed: readonly ClosedWindow[]
  /** Whether a caller may end its side and still get an answer. */
  readonly allowHalfOpen: boolean
  onConnection(socket: Socket): void
}

/** Listens on one port, except in the windows in which connections are refused. */
export async function openListenerWindow(options: ListenerOptions): Promise<ListenerWindow> {
  const { clock, closed } = options
  let server = createListener(options)
  const port = await listenOn(server, options.listen)
  let work = Promise.resolve()
  const timers: Timer[] = []
  const closeNow = () => {
    work = work.then(() => closeListener(server))
  }
  const reopen = () => {
    work = work.then(async () => {
      server = createListener(options)
      await listenOn(server, { ...options.listen, port })
    })
  }
  const plan = (delayMs: number, act: () => void) => {
    if (delayMs === 0) act()
    else timers.push(clock.startTimer(delayMs, act))
  }
  for (const { from, to } of joinWindows(closed)) {
    plan(from, closeNow)
    if (to !== Number.POSITIVE_INFINITY) plan(to, reopen)
  }
  await work
  return {
    port,
    idle: () => work,
    async close() {
      for (const timer of timers) timer.cancel()
      await work
      await closeListener(server)
    },
  }
}

interface Period {
  readonly from: number
  readonly to: number
}

/** Joins windows that overlap or touch, so that each is closed once and opened once. */
function joinWindows(windows: readonly ClosedWindow[]): readonly Period[] {
  const sorted = windows
    .map(({ from = 0, for: length = Number.POSITIVE_INFINITY }): Period => ({ from, to: from + length }))
    .sort((left, right) => left.from - right.from)
  const joined: Period[] = []
  for (const period of sorted) {
    const last = joined.at(-1)
    if (last === undefined || period.from > last.to) joined.push(period)
    else joined[joined.length - 1] = { from: last.from, to: Math.max(last.to, period.to) }
  }
  return joined
}

/** A connection is not read before its fault is chosen. */
function createListener({ allowHalfOpen, onConnection }: ListenerOptions): Server {
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

/** Open connections stay open, and the promise does not wait for them. */
async function closeListener(server: Server): Promise<void> {
  if (!server.listening) return
  server.close()
  // The handle is released in the next turn of the event loop.
  await new Promise<void>((done) => process.nextTick(done))
}
