import type { TransportFault } from './transport-fault.ts'
import type { UpstreamBody } from './upstream-body.ts'

/** One call to a provider: all that goes on the wire, and where it may go. */
export interface UpstreamRequest {
  readonly method: 'POST' | 'GET' | 'DELETE' | 'PUT' | 'PATCH' | 'HEAD'
  /** Scheme, host and port, from the configuration alone. */
  readonly origin: string
  readonly pathAndQuery: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: UpstreamBody
  /** The limit until the socket, or the tunnel of a proxy, is open. */
  readonly connectTimeoutMs: number
  /** The timeout of the TLS handshake; where it is absent, that of connecting. */
  readonly tlsTimeoutMs?: number
  /** Whether the address may be this machine or a private network. */
  readonly allowPrivate: boolean
  /** The proxy that the call goes through; its user and password stand in its address. */
  readonly proxy?: string | undefined
  /** Trusts these root certificates, in PEM, beside the machine's own; equal ids are equal certificates. */
  readonly authorities?: { readonly id: string; readonly pem: string } | undefined
  /**
   * Whether the call has a connection of its own, which is not kept: where one kept connection proved dead, its fellows
   * may be, too, and an address that a caller named is not asked again.
   */
  readonly onNewConnection?: boolean
  /** Whether an answer that comes in one known coding, although none was asked for, is inflated as it arrives. */
  readonly mayInflate?: boolean
  /** Gets headers that authorise the call, laid over the others just before it is made. A rejection ends the call. */
  readonly authorize?: (request: UpstreamRequest) => Promise<Readonly<Record<string, string>>>
  /** Called where these headers of `authorize` were refused (401): the call is then made once more with others. */
  readonly onRefused?: ((headers: Readonly<Record<string, string>>) => void) | undefined
  /** Whether an answer is such a refusal, where more than the status 401 is. */
  readonly isRefusal?: ((status: number, headers: UpstreamHeaders) => boolean) | undefined
}

/** The progress of a call. After `onEnd` or `onFault` nothing more comes. */
export interface UpstreamListener {
  /**
   * Called when all of the request went out: the time until the answer's head is free for what that will need. May be
   * left out.
   */
  onSent?(): void
  onHead(status: number, headers: UpstreamHeaders): void
  onData(chunk: Buffer): void
  onEnd(): void
  onFault(fault: TransportFault): void
}

export type UpstreamHeaders = Readonly<Record<string, string | string[] | undefined>>

/** The caller's hold on a call under way. */
export interface UpstreamFlow {
  pause(): void
  resume(): void
  /** Closes the connection; the listener hears no more. */
  abort(): void
}

export interface Upstream {
  call(request: UpstreamRequest, listener: UpstreamListener): UpstreamFlow
  close(): Promise<void>
}
