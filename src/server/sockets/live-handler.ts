import { type Failure, failureOf, GatewayError } from '../../canonical/failure.ts'
import type { Timer } from '../../kit/time/clock.ts'
import { writeCloseReason } from '../../pipeline/realtime/live-session.ts'
import { closeCodes } from '../../pipeline/realtime/realtime-port.ts'
import { readLiveMessage } from '../../wire/gemini/live/live-fields.ts'
import { readLiveSetup } from '../../wire/gemini/live/live-setup.ts'
import { authenticate } from '../authenticate-request.ts'
import { logAnsweredRequest } from '../log-answered-request.ts'
import { RealtimeHandler } from './realtime-handler.ts'
import type { CallerSocket, RetireReason, SocketHandler } from './socket-handler.ts'
import type { AdmittedSocket, SocketOptions, SocketRoute } from './socket-options.ts'

/** The time in which a caller must send the first message. */
const SETUP_MS = 10_000
const HTTP_BAD_REQUEST = 400

/**
 * The paths of Live sessions in each version. Google's client for JavaScript writes two slashes if it is given a base
 * address (@google/genai 3.1.0, seen 2026-11-25).
 */
const paths = ['v1', 'v1beta', 'v1alpha'].flatMap((version) => {
  const path = `/ws/google.ai.generativelanguage.${version}.GenerativeService.BidiGenerateContent`
  return [path, `/${path}`]
})

export const liveRoutes: readonly SocketRoute[] = paths.map((path) => ({
  path,
  policy: 'caller',
  format: 'gemini',
  acceptsQueryKey: true,
  open: (admitted, connection, options) => new LiveHandler(admitted, connection, options),
}))

/** A Live session. Its model is in the first message, so the session is opened after that message. */
class LiveHandler implements SocketHandler {
  readonly #admitted: AdmittedSocket
  readonly #connection: CallerSocket
  readonly #options: SocketOptions
  readonly #early: Buffer[] = []
  readonly #gone = new AbortController()
  #state: 'waiting' | 'opening' | 'open' | 'over' = 'waiting'
  #session: RealtimeHandler | undefined
  #retired: RetireReason | undefined
  readonly #timer: Timer

  constructor(admitted: AdmittedSocket, connection: CallerSocket, options: SocketOptions) {
    this.#admitted = admitted
    this.#connection = connection
    this.#options = options
    this.#timer = options.clock.startTimer(SETUP_MS, () =>
      this.#refuse(new GatewayError('missing_field', { param: 'setup', message: noSetup })),
    )
  }

  get isIdle(): boolean {
    return this.#session?.isIdle ?? this.#state !== 'opening'
  }

  get isFull(): boolean {
    return this.#session?.isFull ?? this.#state === 'opening'
  }

  receive(frame: Buffer): void {
    if (this.#session !== undefined) this.#session.receive(frame)
    else if (this.#state === 'opening') this.#early.push(frame)
    else if (this.#state === 'waiting') void this.#open(frame.toString('utf8'))
  }

  refuse(error: GatewayError): void {
    if (this.#session === undefined) this.#refuse(error)
    else this.#session.refuse(error)
  }

  drained(): void {
    this.#session?.drained()
  }

  leave(): void {
    this.#state = 'over'
    this.#gone.abort()
    this.#timer.cancel()
    this.#session?.leave()
  }

  retire(reason: RetireReason): void {
    this.#retired = reason
    this.#session?.retire(reason)
  }

  /** Opens the session with the terms of the first message. Never rejects. */
  async #open(text: string): Promise<void> {
    this.#state = 'opening'
    this.#timer.cancel()
    const { head, route } = this.#admitted
    const options = this.#options
    try {
      const setup = readLiveSetup(readLiveMessage(text))
      const opened = await options.realtime.open({
        requestId: head.requestId,
        path: head.path,
        address: head.address,
        headers: head.message.headers,
        startedAtMs: options.clock.monotonicMs(),
        caller: authenticate(head, route, options),
        model: setup.model,
        opening: { type: 'geminiLive', setup },
        // A session that started before the process drains continues.
        recheck: () => authenticate(head, route, { ...options, gate: { isDraining: false } }),
        gone: this.#gone.signal,
      })
      if (this.#state !== 'opening') return opened.abandon()
      this.#state = 'open'
      this.#session = new RealtimeHandler(opened, this.#connection, options)
      if (this.#retired !== undefined) this.#session.retire(this.#retired)
      for (const frame of this.#early.splice(0)) this.#session.receive(frame)
      this.#connection.readOn()
    } catch (error) {
      this.#refuse(error)
    }
  }

  #refuse(error: unknown): void {
    const { head, route, caller } = this.#admitted
    const options = this.#options
    if (!(error instanceof GatewayError)) options.reportFault('a Live session', error)
    if (this.#state === 'over') return
    this.#state = 'over'
    const failure = failureOf(error)
    this.#connection.close(closeCodeOf(failure), writeCloseReason(failure))
    const identity = { type: 'caller', caller } as const
    const status = head.format.writeError(failure, head.requestId).status ?? HTTP_BAD_REQUEST
    logAnsweredRequest({ head, identity, refusal: { failure, error }, route, status }, options)
  }
}

const noSetup = 'No setup came within 10 seconds. Send {"setup": {"model": …}} as the first message.'

/** The close code for a failure. After a fault of a provider or the gateway, a caller may try again later. */
function closeCodeOf({ code }: Failure): number {
  if (code === 'shutting_down') return closeCodes.goingAway
  if (code === 'upstream_rejected') return closeCodes.policy
  return code.startsWith('upstream_') || code === 'internal_error' ? closeCodes.fault : closeCodes.policy
}
