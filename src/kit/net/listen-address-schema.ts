import { isIP } from 'node:net'
import { z } from 'zod'

export interface ListenAddress {
  /** An address or a name. `0.0.0.0` means every address of the machine. IPv6 has no brackets. */
  readonly host: string
  /** The port. 0 lets the system choose. */
  readonly port: number
}

const explanation = 'must be an address with a port, such as "127.0.0.1:8080", ":8080" or "[::1]:8080"'

/** Reads `host:port`. An empty host means every address of the machine. */
export const listenAddressSchema = z
  .string({ error: explanation })
  .transform((text, context): ListenAddress => {
    const address = readListenAddress(text)
    if (address !== undefined) return address
    context.addIssue({ code: 'custom', message: explanation })
    return z.NEVER
  })

function readListenAddress(text: string): ListenAddress | undefined {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9.-]*)):(\d{1,5})$/.exec(text)
  if (match === null) return undefined
  const [, bracketed, plain, portText] = match
  const port = Number(portText)
  if (port > 65_535) return undefined
  if (bracketed !== undefined) return isIP(bracketed) === 6 ? { host: bracketed, port } : undefined
  return { host: plain === undefined || plain === '' ? '0.0.0.0' : plain, port }
}

/** Whether only this machine can reach a listener at this address. */
export function isLoopback({ host }: ListenAddress): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}
