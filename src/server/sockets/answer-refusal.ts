import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { failureOf, GatewayError } from '../../canonical/failure.ts'
import { renderFailure } from '../../pipeline/response/response-writer.ts'
import { logRefusal } from '../log-refusal.ts'
import type { AdmittedSocket, SocketOptions } from './socket-options.ts'

/** Answers an offer of WebSocket that was let in at first and could not be served, as HTTP answers it. */
export function answerRefusal(
  error: unknown,
  { head, caller, route }: AdmittedSocket,
  { socket, options }: { readonly socket: Socket; readonly options: SocketOptions },
): void {
  if (!(error instanceof GatewayError)) options.reportFault('an offer of WebSocket', error)
  const { format, requestId } = head
  const failure = failureOf(error)
  const { status, headers, body } = renderFailure(failure, { format, requestId, headers: {} })
  const lines = {
    'content-type': 'application/json',
    'x-request-id': requestId,
    ...headers,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }
  const written = Object.entries(lines).map(([name, value]) => `${name}: ${value}`)
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...written, '', String(body)].join('\r\n'))
  const identity = { type: 'caller', caller } as const
  logRefusal({ context: head, identity, refusal: { failure, error }, route, status }, options)
}
