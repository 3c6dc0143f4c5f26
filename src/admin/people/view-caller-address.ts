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
  if (publicUrl !== undefined) return { type: 'url', url: publicUrl }
  if (admin.type === 'shared' || port === 0) return { type: 'same-as-this' }
  if (['', '0.0.0.0', '::'].includes(host)) return { type: 'port', port, tls: isSecure }
  const name = host.includes(':') ? `[${host}]` : host
  return { type: 'url', url: `${isSecure ? 'https' : 'http'}://${name}:${port}` }
}
