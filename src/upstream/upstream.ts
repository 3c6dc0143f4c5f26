import type { TransportFault } from './transport-fault.ts'
import type { UpstreamBody } from './upstream-body.ts'

/** One call to a provider: everything that is sent, and the limits on its destination. */
export interface UpstreamRequest {
  readonly method: 'POST' | 'GET' | 'DELETE' | 'PUT' | 'PATCH' | 'HEAD'
  /**
   * Scheme, host and port. They come from the configuration, except for a file at an address that a caller named
   * (`fetchFile`).
   */
  readonly origin: string
  readonly pathAndQuery: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: UpstreamBody
  /** The timeout until the socket, or the tunnel of a proxy, is open. */
  readonly connectTimeoutMs: number
  /** The timeout of the TLS handshake. The connect timeout by default. */
  readonly tlsTimeoutMs?: number
  /** Whether the address may be this machine or a private network. */
  readonly allowPrivate: boolean
  /** The proxy for the call. Its address contains the user and the password. */
  readonly proxy?: string | undefined
  /** Root certificates, in PEM, that are trusted besides the machine's own. Equal IDs mean equal certificates. */
  readonly authorities?: { readonly id: string; readonly pem: string } | undefined
  /**
   * Whether the call has its own connection, which is not reused. A dead connection makes the others of its pool
   * suspect, and an address that a caller named is not called again.
   */
  readonly onNewConnection?: boolean
  /** Whether an answer with one known coding is inflated on arrival, although no coding was requested. */
  readonly mayInflate?: boolean
  /**
   * Gets the headers that authorize the call just before it is made. They override the other headers. A rejection
   * ends the call.
   */
  readonly authorize?: ((request: UpstreamRequest) => Promise<Readonly<Record<string, string>>>) | undefined
  /**
   * Called where the provider refused (401) the headers of `authorize`. The call is then made once more with new
   * headers.
   */
  readonly onRefused?: ((headers: Readonly<Record<string, string>>) => void) | undefined
  /** Whether an answer is such a refusal, where the status 401 is not the only sign. */
  readonly isRefusal?: ((status: number, headers: UpstreamHeaders) => boolean) | undefined
}

/** Receives the events of a call. After `onEnd` or `onFault` there are no further events. */
export interface UpstreamListener {
  /**
   * Called when the whole request was sent. The time until the answer's head can be used to prepare for the answer.
   * Optional.
   */
  onSent?(): void
  onHead(status: number, headers: UpstreamHeaders): void
  onData(chunk: Buffer): void
  onEnd(): void
  onFault(fault: TransportFault): void
}

export type UpstreamHeaders = Readonly<Record<string, string | string[] | undefined>>

/** Controls a call in flight. */
export interface UpstreamFlow {
  pause(): void
  resume(): void
  /** Closes the connection. The listener gets no further events. */
  abort(): void
}

export interface Upstream {
  call(request: UpstreamRequest, listener: UpstreamListener): UpstreamFlow
  close(): Promise<void>
}
