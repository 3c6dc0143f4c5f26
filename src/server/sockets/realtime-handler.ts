import type { GatewayError } from '../../canonical/failure.ts'
import type { OpenedRealtime, RealtimeSession } from '../../pipeline/realtime/realtime-port.ts'
import { admitRealtime, identifyCaller, type RealtimeAdmission } from './admit-realtime.ts'
import type { CallerSocket, RetireReason, SocketHandler } from './socket-handler.ts'
import type { AdmittedSocket, PreparedSocket, SocketOptions, SocketRoute } from './socket-options.ts'

/** Realtime sessions over WebSocket. */
export const realtimeRoute: SocketRoute = {
  path: '/v1/realtime',
  policy: 'caller',
  format: 'chat',
  authenticate: (head, options) => admitRealtime(head, options).caller,
  prepare: (admitted, options, gone) =>
    prepare(admitted, admitRealtime(admitted.head, options), { options, gone }),
}

async function prepare(
  { head }: AdmittedSocket,
  { caller, model, preset }: RealtimeAdmission,
  { options, gone }: { readonly options: SocketOptions; readonly gone: AbortSignal },
): Promise<PreparedSocket> {
  const { requestId, path, address, startedAtMs, message } = head
  const opened = await options.realtime.open({
    requestId,
    path,
    address,
    headers: message.headers,
    startedAtMs,
    caller,
    model,
    opening: { type: 'realtime', preset },
    // A session that started before the process drains continues.
    recheck: () => identifyCaller(head, { ...options, gate: notDraining }).caller,
    gone,
  })
  return {
    open: (connection) => new RealtimeHandler(opened, connection, options),
    abandon: () => opened.abandon(),
  }
}

const notDraining = { isDraining: false }

/** Serves the frames of an open session. */
export class RealtimeHandler implements SocketHandler {
  readonly #session: RealtimeSession
  readonly #leaveGate: () => void
  #isDraining = false
  /** Whether the session ends after the response in progress. */
  #isExpiring = false

  constructor(opened: OpenedRealtime, connection: CallerSocket, { gate }: SocketOptions) {
    this.#session = opened.begin({
      send: (text) => connection.send(text),
      close: (code, reason) => connection.close(code, reason),
      readOn: () => this.#readOn(connection),
    })
    this.#leaveGate = gate.enter(() => this.#session.stop())
  }

  /** A conversation continues while the process drains, until the end of the drain time. */
  get isIdle(): boolean {
    return this.#session.isIdle && !this.#isDraining
  }

  get isFull(): boolean {
    return this.#session.isFull
  }

  receive(frame: Buffer): void {
    this.#session.receive(frame.toString('utf8'))
  }

  drained(): void {
    this.#session.drained()
  }

  leave(): void {
    this.#leaveGate()
    this.#session.leave()
  }

  retire(reason: RetireReason): void {
    if (reason === 'draining') this.#isDraining = true
    else if (this.#session.isIdle) this.#session.expire()
    else this.#isExpiring = true
  }

  #readOn(connection: CallerSocket): void {
    if (this.#isExpiring && this.#session.isIdle) this.#session.expire()
    connection.readOn()
  }

  refuse({ failure }: GatewayError): void {
    this.#session.refuse(failure)
  }
}
