import type { ListenAddress } from '../../kit/net/listen-address-schema.ts'
import { isSecretText, MIN_SECRET_CHARACTERS } from '../../kit/schema/is-secret-text.ts'
import type { Config } from '../config.ts'
import type { ConfigProblem } from '../config-error.ts'
import { findUrlFault } from '../database-schema.ts'
import type { Environment } from '../source/environment.ts'
import type { PathProblem } from '../source/substitute-variables.ts'
import { readWarmUp, WARM_UP_EXPLANATION } from '../warm-up-schema.ts'

/**
 * The problems of the environment. Values are not repeated. A previous secret may be any text: one that is refused now
 * must still lead to another.
 */
export function checkEnvironment(environment: Environment): readonly ConfigProblem[] {
  const { databaseUrl, adminToken, metricsToken, secret } = environment
  const fault = databaseUrl === undefined ? undefined : findUrlFault(databaseUrl)
  return [
    ...(fault === undefined ? [] : [{ path: 'HEADGATE_DATABASE_URL', message: fault }]),
    ...checkWarmUp(environment.warmUp),
    ...checkSecret('HEADGATE_ADMIN_TOKEN', adminToken),
    ...checkSecret('HEADGATE_METRICS_TOKEN', metricsToken),
    ...checkSecret('HEADGATE_SECRET', secret),
    ...checkPepper(environment.pepper),
  ]
}

function checkWarmUp(given: string | undefined): readonly ConfigProblem[] {
  if (given === undefined || readWarmUp(given) !== undefined) return []
  return [{ path: 'HEADGATE_WARM_UP', message: WARM_UP_EXPLANATION }]
}

function checkPepper(pepper: string | undefined): readonly ConfigProblem[] {
  if (pepper === undefined || /^[0-9a-f]{64}$/i.test(pepper)) return []
  return [{ path: 'HEADGATE_PEPPER', message: 'must be 64 hex digits; make it with "openssl rand -hex 32"' }]
}

/** The database holds what the secret seals, so that the nodes that share it must have the same one. */
export function checkDatabaseSecret(
  databaseUrl: string | undefined,
  { secret }: Pick<Environment, 'secret'>,
): readonly ConfigProblem[] {
  if (databaseUrl === undefined || secret !== undefined) return []
  const message =
    'is needed with a database_url, the same for every node; make one, such as with "openssl rand -hex 32"'
  return [{ path: 'HEADGATE_SECRET', message }]
}

function checkSecret(path: string, value: string | undefined): readonly ConfigProblem[] {
  if (value === undefined || isSecretText(value)) return []
  const rule = `must be ${MIN_SECRET_CHARACTERS} or more printable characters without a space between`
  return [{ path, message: `${rule}; make one, such as with "openssl rand -hex 32"` }]
}

/**
 * Two listeners cannot have one address; flag and environment may give them, too, so that it is known only
 * once all is read.
 */
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
