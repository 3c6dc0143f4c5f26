// The public listening sockets of an installation with several processes. They stay open while processes come and go.

import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import type { Config } from '../../config/config.ts'
import type { ListenAddress } from '../../kit/net/listen-address-schema.ts'
import type { ReportFault } from '../../kit/time/clock.ts'
import { listenEverywhere } from '../../server/listener/listen-everywhere.ts'
import { type ListenSetting, listenError } from '../listen-error.ts'
import type { Ports } from '../workers/part-messages.ts'

export interface PublicSocketsOptions {
  readonly onConnection: (setting: ListenSetting, socket: Socket) => void
  readonly reportFault: ReportFault
  /** Sockets that a service manager has opened: the first for callers, the second for operators. */
  readonly activated: readonly number[]
}

export interface PublicSockets {
  readonly ports: Ports
  close(): void
}

/** Opens all sockets or none. Fails with `OperatorError`. */
export async function openPublicSockets(
  { listen, admin }: Pick<Config, 'listen' | 'admin'>,
  { onConnection, reportFault, activated }: PublicSocketsOptions,
): Promise<PublicSockets> {
  const servers: Server[] = []
  const close = () => {
    for (const server of servers) server.close()
  }
  async function open(setting: ListenSetting, address: ListenAddress, descriptor: number | undefined) {
    const create = () => {
      // A connection is only read by the process that gets it.
      const server = createServer({ pauseOnConnect: true }, (socket) => onConnection(setting, socket))
      servers.push(server)
      return server
    }
    try {
      if (descriptor === undefined) return await listenEverywhere(address, create, reportFault)
      return await listenOn(create(), descriptor)
    } catch (cause) {
      close()
      throw listenError(setting, address.port, cause)
    }
  }
  const [first, second] = activated
  const ports = { listen: await open('listen', listen, first) }
  if (admin.type !== 'own') return { ports, close }
  return { ports: { ...ports, 'admin.listen': await open('admin.listen', admin.listen, second) }, close }
}

async function listenOn(server: Server, fd: number): Promise<number> {
  server.listen({ fd })
  await once(server, 'listening')
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}
