import type { ListenAddress } from '../../kit/net/listen-address-schema.ts'
import type { Config } from '../config.ts'
import type { PathProblem } from '../source/substitute-variables.ts'

/** Two listeners cannot have one address; flag and environment may give them, too, so that it is known only once all is read. */
export function checkListeners({ listen, admin }: Pick<Config, 'listen' | 'admin'>): readonly PathProblem[] {
  if (admin.type !== 'own' || !areOne(listen, admin.listen)) return []
  const { host, port } = listen
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`
  const message = `callers connect there already (${address}); give it another port`
  return [{ path: ['admin', 'listen'], message }]
}

const everywhere = ['0.0.0.0', '::']

function areOne(left: ListenAddress, right: ListenAddress): boolean {
  // The system chooses two different ones for 0.
  if (left.port !== right.port || left.port === 0) return false
  const hosts = [left, right].map(({ host }) => (host === 'localhost' ? '127.0.0.1' : host.toLowerCase()))
  return hosts[0] === hosts[1] || hosts.some((host) => everywhere.includes(host))
}
