import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { tryParseJson } from '../../kit/json/try-parse-json.ts'
import { relayedConnectionSchema } from './relayed-connection-schema.ts'

/** The header with the facts of the caller's connection. A header of this name from the caller is replaced. */
const RELAY_HEADER = 'x-headgate-relayed'

/** The headers of a relayed request, with the facts of the caller's connection. */
export function relayedHeaders({ headers, socket }: IncomingMessage): OutgoingHttpHeaders {
  const connection = {
    remoteAddress: socket.remoteAddress,
    localAddress: socket.localAddress,
    encrypted: 'encrypted' in socket && socket.encrypted === true,
  }
  return { ...headers, connection: 'close', [RELAY_HEADER]: JSON.stringify(connection) }
}

/**
 * Gives a relayed request the connection facts of its caller, since access rules and log entries depend on them. Use it
 * only for the socket in the data folder, to which no other user can connect.
 */
export function adoptRelayed(message: IncomingMessage): void {
  const connection = relayedConnectionSchema.safeParse(
    tryParseJson(String(message.headers[RELAY_HEADER] ?? '')),
  ).data
  delete message.headers[RELAY_HEADER]
  if (connection === undefined) return
  const { remoteAddress, localAddress, encrypted } = connection
  Object.defineProperties(message.socket, {
    remoteAddress: { value: remoteAddress, configurable: true },
    localAddress: { value: localAddress, configurable: true },
    encrypted: { value: encrypted, configurable: true },
  })
}
