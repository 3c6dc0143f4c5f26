import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { tryParseJson } from '../../kit/json/try-parse-json.ts'
import { relayedConnectionSchema } from './relayed-connection-schema.ts'

/** The header by which one process tells another whose request it passes on; a caller's own is replaced. */
const RELAY_HEADER = 'x-headgate-relayed'

/** The headers of a request that is passed on, with the facts of the caller's connection. */
export function relayedHeaders({ headers, socket }: IncomingMessage): OutgoingHttpHeaders {
  const connection = {
    remoteAddress: socket.remoteAddress,
    localAddress: socket.localAddress,
    encrypted: 'encrypted' in socket && socket.encrypted === true,
  }
  return { ...headers, connection: 'close', [RELAY_HEADER]: JSON.stringify(connection) }
}

/**
 * Gives a request that was passed on the connection that its caller has: who may call, and what is written down of it,
 * depends on that. Only for the socket in the data folder, which no other user can connect to.
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
