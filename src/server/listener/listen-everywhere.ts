import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import type { Server } from 'node:net'
import { errorCodeOf } from '../../kit/errors/error-code.ts'
import type { ReportFault } from '../../kit/time/clock.ts'

/**
 * Opens a server on an address. For `localhost`, it opens one in each address family of the machine. The additional
 * ones use the port of the first, and are opened only if possible. Returns the port. Fails with Node's error (such as
 * `EADDRINUSE`).
 */
export async function listenEverywhere(
  { host, port }: { readonly host: string; readonly port: number },
  create: () => Server,
  reportFault: ReportFault,
): Promise<number> {
  const [first = host, ...others] = host === 'localhost' ? await listAddresses(host) : [host]
  const opened = await listen(create(), first, port)
  for (const address of others) {
    // The first address is served already.
    await listen(create(), address, opened).catch((error: unknown) => {
      if (!isAddressUnavailable(error)) reportFault(`the listener on ${address}, port ${opened}`, error)
    })
  }
  return opened
}

/** Whether the address family is disabled, or the port is in use. */
function isAddressUnavailable(error: unknown): boolean {
  return ['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EADDRINUSE'].includes(errorCodeOf(error) ?? '')
}

async function listAddresses(host: string): Promise<readonly string[]> {
  const found = await lookup(host, { all: true })
  return [...new Set(found.map(({ address }) => address))]
}

async function listen(server: Server, host: string, port: number): Promise<number> {
  server.listen({ host, port })
  await once(server, 'listening')
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : port
}
