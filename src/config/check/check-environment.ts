import type { ListenAddress } from '../../kit/net/listen-address-schema.ts'
import { isSecretText, MIN_SECRET_CHARACTERS } from '../../kit/schema/is-secret-text.ts'
import type { Config } from '../config.ts'
import type { ConfigProblem } from '../config-error.ts'
import { findUrlFault } from '../database-schema.ts'
import type { Environment } from '../source/environment.ts'
import type { PathProblem } from '../source/substitute-variables.ts'
import { readWarmUp, WARM_UP_EXPLANATION } from '../warm-up-schema.ts'

/**
 * Finds the problems of the environment. Messages do not repeat values. A previous secret may be any text, since an
 * operator must be able to replace a secret that is now refused.
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

/**
 * Requires a secret with a database. The secret seals values in the database, so all nodes that share it need the same
 * secret.
 */
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
 * Refuses two listeners with the same address. Flags and the environment can set the addresses too, so this is only
 * known once everything is read.
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
  // For port 0 the system chooses two different ports.
  if (left.port !== right.port || left.port === 0) return false
  const hosts = [left, right].map(({ host }) => (host === 'localhost' ? '127.0.0.1' : host.toLowerCase()))
  return hosts[0] === hosts[1] || hosts.some((host) => everywhere.includes(host))
}
