import { connect, type Socket } from 'node:net'
import type { ListenAddress } from '../../../src/kit/net/listen-address-schema.ts'
import { createSeededRandom } from '../../../src/kit/random/seeded-random.ts'
import type { Clock } from '../../../src/kit/time/clock.ts'
import { isConnectionMatch } from '../script/match-rule.ts'
import {
  goodDirection,
  type ProxyFault,
  type ProxyScript,
  type ProxyScriptInput,
  proxyScriptSchema,
} from '../script/proxy-script-schema.ts'
import { closeSocket, destroySockets } from '../socket/close-socket.ts'
import { openListenerWindow } from '../socket/open-listener-window.ts'
import { ProxyCounts, type ProxyTraffic, type SeenConnection } from './proxy-traffic.ts'
import { RelayDirection } from './relay-direction.ts'

export interface FaultProxyOptions {
  readonly clock: Clock
  readonly seed: number
  /** The target of every connection. */
  readonly to: { readonly host: string; readonly port: number }
  /** The script; without one, all bytes pass unchanged. An invalid script throws the error of its schema. */
  readonly script?: ProxyScriptInput
  /** The address to listen on; by default a free port on loopback. */
  readonly listen?: ListenAddress
  readonly onConnection?: (connection: SeenConnection) => void
}

export interface FaultProxy {
  /** The address, such as `127.0.0.1:4321`. */
  readonly address: string
  readonly port: number
  readonly traffic: ProxyTraffic
  /** Fulfilled once the listener is in the state that the script sets for this time. */
  idle(): Promise<void>
  /** Closes every connection immediately, and cancels every timer. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

const loopback: ListenAddress = { host: '127.0.0.1', port: 0 }
const noFault: ProxyFault = { up: goodDirection, down: goodDirection }

/** Opens a TCP relay that delays, changes or cuts the bytes of either direction as its script demands, TLS or not. */
export async function openFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const script = proxyScriptSchema.parse(options.script ?? {})
  const { clock, listen = loopback } = options
  const host = new ProxyHost(options, script)
  const listener = await openListenerWindow({
    clock,
    listen,
    closed: script.refuse,
    allowHalfOpen: true,
    onConnection: (socket) => host.accept(socket),
  })
  const close = async () => {
    await listener.close()
    await host.close()
  }
  return {
    address: `${listen.host}:${listener.port}`,
    port: listener.port,
    traffic: host.traffic,
    idle: listener.idle,
    close,
    [Symbol.asyncDispose]: close,
  }
}

class ProxyHost {
  readonly traffic = new ProxyCounts()
  readonly #options: FaultProxyOptions
  readonly #script: ProxyScript
  readonly #openedAtMs: number
  readonly #sockets = new Set<Socket>()

  constructor(options: FaultProxyOptions, script: ProxyScript) {
    this.#options = options
    this.#script = script
    this.#openedAtMs = options.clock.monotonicMs()
  }

  accept(client: Socket): void {
    const seen = this.traffic.open(this.#elapsedMs())
    this.#options.onConnection?.(seen)
    this.#keep(client)
    client.once('close', () => this.traffic.close(seen, this.#elapsedMs()))
    const fault = this.#chooseFault(seen)
    if (fault.close !== undefined) closeSocket(client, fault.close)
    else if (fault.black_hole === true) return
    else this.#afterDelay(client, fault.delay, () => this.#relay(client, fault, seen))
  }

  /** Fulfilled once every connection is closed. */
  async close(): Promise<void> {
    await destroySockets(this.#sockets)
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket)
    socket.setNoDelay(true)
    socket.on('error', () => socket.destroy())
    socket.once('close', () => this.#sockets.delete(socket))
  }

  #elapsedMs(): number {
    return this.#options.clock.monotonicMs() - this.#openedAtMs
  }

  #chooseFault({ number, atMs }: SeenConnection): ProxyFault {
    const rule = this.#script.rules.find(({ when }, index) =>
      isConnectionMatch(when, { number, atMs }, createSeededRandom(this.#options.seed, number, index)),
    )
    return rule?.do ?? noFault
  }

  #afterDelay(client: Socket, delayMs: number | undefined, act: () => void): void {
    if (delayMs === undefined) {
      act()
      return
    }
    const timer = this.#options.clock.startTimer(delayMs, act)
    client.once('close', timer.cancel)
  }

  #relay(client: Socket, fault: ProxyFault, seen: SeenConnection): void {
    const target = connect({ ...this.#options.to, allowHalfOpen: true })
    this.#keep(target)
    const { clock, seed } = this.#options
    const onCut = (by: 'fin' | 'reset') => {
      for (const socket of [client, target]) closeSocket(socket, by)
    }
    const common = { clock, onCut }
    const directions = [
      new RelayDirection({
        ...common,
        from: client,
        to: target,
        script: fault.up,
        random: createSeededRandom(seed, seen.number, -1),
        onBytes: (count) => this.traffic.addUp(seen, count),
      }),
      new RelayDirection({
        ...common,
        from: target,
        to: client,
        script: fault.down,
        random: createSeededRandom(seed, seen.number, -2),
        onBytes: (count) => this.traffic.addDown(seen, count),
      }),
    ]
    const end = (other: Socket, hadError: boolean) => {
      for (const direction of directions) direction.stop()
      // An error on one side is a reset on the other, as it would be without the relay.
      if (hadError) other.resetAndDestroy()
      else other.destroySoon()
    }
    client.once('close', (hadError) => end(target, hadError))
    target.once('close', (hadError) => end(client, hadError))
    for (const direction of directions) direction.start()
  }
}
