import type { Config } from '../../config/config.ts'
import type { MeWithOperations } from './people-contract.ts'

/** The address of the callers' listener, as far as the configuration says it. */
export function viewCallerAddress({
  publicUrl,
  listen: { host, port },
  tls,
  admin,
}: Pick<Config, 'publicUrl' | 'listen' | 'tls' | 'admin'>): MeWithOperations['callers'] {
  const isSecure = tls !== undefined
  if (publicUrl !== undefined) return { url: publicUrl, port: null, tls: isSecure }
  if (admin.type === 'shared' || port === 0) return { url: null, port: null, tls: isSecure }
  if (['', '0.0.0.0', '::'].includes(host)) return { url: null, port, tls: isSecure }
  const name = host.includes(':') ? `[${host}]` : host
  return { url: `${isSecure ? 'https' : 'http'}://${name}:${port}`, port: null, tls: isSecure }
}
