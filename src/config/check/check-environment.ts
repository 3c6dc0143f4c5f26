import { isSecretText, LEAST_SECRET_CHARACTERS } from '../../kit/schema/is-secret-text.ts'
import type { ConfigProblem } from '../config-error.ts'
import type { Environment } from '../source/environment.ts'

/**
 * What the environment may not say. The values are not repeated. A secret of before may be any text: from one that is
 * refused now there must be a way to another.
 */
export function checkEnvironment(environment: Environment): readonly ConfigProblem[] {
  const { databaseUrl, adminToken, metricsToken, secret } = environment
  const database = { path: 'HEADGATE_DATABASE_URL', message: 'is not available in this version; unset it' }
  return [
    ...(databaseUrl === undefined ? [] : [database]),
    ...checkSecret('HEADGATE_ADMIN_TOKEN', adminToken),
    ...checkSecret('HEADGATE_METRICS_TOKEN', metricsToken),
    ...checkSecret('HEADGATE_SECRET', secret),
  ]
}

function checkSecret(path: string, value: string | undefined): readonly ConfigProblem[] {
  if (value === undefined || isSecretText(value)) return []
  const rule = `must be ${LEAST_SECRET_CHARACTERS} or more printable characters without a space between`
  return [{ path, message: `${rule}; make one, such as with "openssl rand -hex 32"` }]
}
