import { errorCodeOf } from '../kit/errors/error-code.ts'

/** The reason why a call ended without a whole answer. */
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
    /** This process may open no more files. The other side is not at fault. */
    | 'no-descriptors'
    /** The listener threw an error at the answer. `message` is the error's stack. */
    | 'unreadable'
  /** The cause for logs, in the words of the network library. */
  readonly message: string
  /**
   * Whether the connection had served an earlier call and broke before any byte of this answer, so that the call may
   * be sent again.
   */
  readonly onReusedConnection: boolean
}

/** Thrown where a call that Headgate makes for itself gets no usable answer. */
export class UpstreamCallError extends Error {
  override readonly name = 'UpstreamCallError'
  /** The fault of the transport; undefined where the answer itself is of no use. */
  readonly kind: TransportFault['kind'] | undefined

  constructor(message: string, options: ErrorOptions & { readonly kind?: TransportFault['kind'] } = {}) {
    super(message, options)
    this.kind = options.kind
  }
}

/** Thrown in the connector for an address that the channel must not reach. */
export class DestinationRefusedError extends Error {
  override readonly name = 'DestinationRefusedError'
}

/** Thrown where a proxy answered but refused the call. */
export class ProxyRefusedError extends Error {
  override readonly name = 'ProxyRefusedError'
}

/** Thrown where a proxy did not open a tunnel in time. */
export class TunnelTimeoutError extends Error {
  override readonly name = 'TunnelTimeoutError'
}

/** Thrown where the TLS handshake of an open connection did not finish in time. */
export class TlsTimeoutError extends Error {
  override readonly name = 'TlsTimeoutError'
}

const kindByCode: Readonly<Record<string, TransportFault['kind']>> = {
  ENOTFOUND: 'name-unknown',
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

/**
 * The codes of errors of TLS. Node reports a certificate that OpenSSL refuses for a rare reason, such as a weak key, as
 * `UNSPECIFIED`.
 */
const TLS_CODES =
  /^(?:ERR_TLS|ERR_SSL|CERT_|CRL_|DEPTH_|ERROR_IN_C|SELF_SIGNED|UNABLE_TO|EPROTO|(?:INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|HOSTNAME_MISMATCH|UNSPECIFIED)$)/

/** The library's words for an interim answer that it cannot skip: status 101 (an upgrade) and status 100. */
const WRONG_INTERIM = /^bad (?:upgrade|response)$/

/** The part of an answer that had arrived: nothing, an interim answer (status 1xx), or the status. */
export type ArrivedPart = 'nothing' | 'interim' | 'head'

/**
 * Converts an error of the network library. `wasServing` is true if the connection had served an earlier call, and no
 * byte has arrived since the start of this one.
 */
export function readTransportFault(error: Error, arrived: ArrivedPart, wasServing = false): TransportFault {
  const kind = findKind(error, arrived === 'head')
  return {
    kind,
    message: describe(error),
    // An interim answer shows that the connection was alive, and that the provider got the call.
    onReusedConnection: kind === 'reset' && arrived === 'nothing' && wasServing,
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
  // Without a status, this error means contradicting lengths, not a body that is too short.
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' && !sawHead) return 'bad-http'
  if (code === 'UND_ERR_SOCKET' && WRONG_INTERIM.test(error.message)) return 'bad-http'
  // The connection closed normally before the body was complete. A reset is different: it may lose bytes that were
  // sent.
  if (code === 'UND_ERR_SOCKET' && sawHead) return 'truncated'
  const known = kindByCode[code]
  if (known !== undefined) return known
  // The other errors of the resolver, such as a refusal of the name server.
  if (code.startsWith('EAI_')) return 'name-unknown'
  if (code.startsWith('HPE_') || error.name === 'HTTPParserError') return 'bad-http'
  if (TLS_CODES.test(code)) return 'tls'
  return 'reset'
}

function describe(error: Error): string {
  const code = errorCodeOf(error)
  return code === undefined ? error.message : `${code}: ${error.message}`
}
