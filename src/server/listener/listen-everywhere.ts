import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import type { Server } from 'node:http'

/**
 * Opens a server on an address. `localhost` has one in each family that the machine speaks; the further ones are opened
 * where they can be, on the port of the first. Gives the port. Fails with Node's error (`EADDRINUSE`, say).
 */
export async function listenEverywhere(
  { host, port }: { readonly host: string; readonly port: number },
  create: () => Server,
): Promise<number> {
  const [first = host, ...others] = host === 'localhost' ? await listAddresses(host) : [host]
  const opened = await listen(create(), first, port)
  for (const address of others) await listen(create(), address, opened).catch(() => undefined)
  return opened
}

async function listAddresses(host: string): Promise<readonly string[]> {
  const found = await lookup(host, { all: true }).catch(() => [])
  return [...new Set(found.map(({ address }) => address))]
}

async function listen(server: Server, host: string, port: number): Promise<number> {
  server.listen({ host, port })
  await once(server, 'listening')
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : port
}
