import { errorCodeOf } from '../kit/errors/error-code.ts'

/** The end of a call without a whole answer. */
export interface TransportFault {
  readonly kind:
    | 'name-unknown'
    | 'refused'
    | 'connect-timeout'
    | 'tls-timeout'
    | 'tls'
    | 'destination-refused'
    | 'proxy-refused'
    | 'reset'
    | 'truncated'
    | 'bad-http'
    | 'closed'
    | 'unauthorized'
    /** This process may open no more files: no fault of the other side. */
    | 'no-descriptors'
    /** The listener threw over the answer; `message` is its stack. */
    | 'unreadable'
  /** The cause for logs, in the words of the network library. */
  readonly message: string
  /** The connection had served an earlier call and broke before any byte of this answer: the call may be sent again. */
  readonly onReusedConnection: boolean
}

/** Thrown where a call of our own, made for no caller, got no answer of use. */
export class UpstreamCallError extends Error {
  override readonly name = 'UpstreamCallError'
  /** The fault of the transport; undefined where the answer itself is of no use. */
  readonly kind: TransportFault['kind'] | undefined

  constructor(message: string, options: ErrorOptions & { readonly kind?: TransportFault['kind'] } = {}) {
    super(message, options)
    this.kind = options.kind
  }
}

/** Thrown in the connector for an address that the channel may not reach. */
export class DestinationRefusedError extends Error {
  override readonly name = 'DestinationRefusedError'
}

/** Thrown where a proxy was reached and did not let the call through. */
export class ProxyRefusedError extends Error {
  override readonly name = 'ProxyRefusedError'
}

/** Thrown where a proxy was asked for a way and gave none in time. */
export class TunnelTimeoutError extends Error {
  override readonly name = 'TunnelTimeoutError'
}

/** Thrown where a connection was there and the handshake of TLS did not end in time. */
export class TlsTimeoutError extends Error {
  override readonly name = 'TlsTimeoutError'
}

const kindByCode: Readonly<Record<string, TransportFault['kind']>> = {
  ENOTFOUND: 'name-unknown',
  EAI_AGAIN: 'name-unknown',
  EAI_NODATA: 'name-unknown',
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'refused',
  ENETUNREACH: 'refused',
  EADDRNOTAVAIL: 'refused',
  ETIMEDOUT: 'connect-timeout',
  UND_ERR_CONNECT_TIMEOUT: 'connect-timeout',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'truncated',
  UND_ERR_HEADERS_OVERFLOW: 'bad-http',
  UND_ERR_SOCKET: 'reset',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  EMFILE: 'no-descriptors',
  ENFILE: 'no-descriptors',
  UND_ERR_DESTROYED: 'closed',
  UND_ERR_CLOSED: 'closed',
}

/** Reads an error of the network library. `sawHead`: the answer's status had come. */
export function readTransportFault(error: Error, sawHead: boolean): TransportFault {
  const kind = findKind(error, sawHead)
  return {
    kind,
    message: describe(error),
    onReusedConnection: kind === 'reset' && !sawHead && wasReused(error),
  }
}

function findKind(error: Error, sawHead: boolean): TransportFault['kind'] {
  if (error instanceof DestinationRefusedError) return 'destination-refused'
  if (error instanceof ProxyRefusedError) return 'proxy-refused'
  if (error instanceof TunnelTimeoutError) return 'connect-timeout'
  if (error instanceof TlsTimeoutError) return 'tls-timeout'
  const inner = error instanceof AggregateError ? error.errors.find((one) => one instanceof Error) : undefined
  if (inner instanceof DestinationRefusedError) return 'destination-refused'
  const code = errorCodeOf(error) ?? (inner === undefined ? undefined : errorCodeOf(inner)) ?? ''
  // The lengths contradict each other where no status came: it is not the body that is too short.
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' && !sawHead) return 'bad-http'
  if (code === 'UND_ERR_SOCKET' && error.message === 'bad upgrade') return 'bad-http'
  // The connection ended in good order before the body was whole; a reset may take with it what was sent.
  if (code === 'UND_ERR_SOCKET' && sawHead) return 'truncated'
  const known = kindByCode[code]
  if (known !== undefined) return known
  if (code.startsWith('HPE_') || error.name === 'HTTPParserError') return 'bad-http'
  if (/^(ERR_TLS|ERR_SSL|CERT_|DEPTH_|SELF_SIGNED|UNABLE_TO|EPROTO)/.test(code)) return 'tls'
  return 'reset'
}

function wasReused(error: Error): boolean {
  if (!('socket' in error) || typeof error.socket !== 'object' || error.socket === null) return false
  return (
    'bytesRead' in error.socket && typeof error.socket.bytesRead === 'number' && error.socket.bytesRead > 0
  )
}

function describe(error: Error): string {
  const code = errorCodeOf(error)
  return code === undefined ? error.message : `${code}: ${error.message}`
}
