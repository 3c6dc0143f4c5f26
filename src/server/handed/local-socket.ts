import { once } from 'node:events'
import { chmodSync, rmSync } from 'node:fs'
import type { Server } from 'node:http'
import type { ConnectionSource } from './connection-source.ts'
import { adoptRelayed } from './relayed-request.ts'

const OWNER_ONLY = 0o600
const MASK_OTHERS = 0o177

/**
 * Listens on a socket in the file system for requests that other processes relay. Only the owner can use the socket.
 */
export function createLocalSource(path: string, port: number): ConnectionSource {
  return {
    port,
    async attach(server: Server) {
      rmSync(path, { force: true })
      server.prependListener('request', adoptRelayed)
      const mask = process.umask(MASK_OTHERS)
      try {
        server.listen(path)
      } finally {
        process.umask(mask)
      }
      await once(server, 'listening')
      chmodSync(path, OWNER_ONLY)
    },
    ended: async () => undefined,
  }
}
