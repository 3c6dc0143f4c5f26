import { isSecretText, LEAST_SECRET_CHARACTERS } from '../kit/is-secret-text.ts'
import type { ConfigProblem } from './config-error.ts'
import type { Environment } from './environment.ts'

/** What the environment may not say. The values are not repeated. */
export function checkEnvironment(environment: Environment): readonly ConfigProblem[] {
  const { databaseUrl, adminToken, secret, previousSecret } = environment
  const database = { path: 'HEADGATE_DATABASE_URL', message: 'is not available in this version; unset it' }
  return [
    ...(databaseUrl === undefined ? [] : [database]),
    ...checkSecret('HEADGATE_ADMIN_TOKEN', adminToken, MAKE_ONE),
    ...checkSecret('HEADGATE_SECRET', secret, MAKE_ONE),
    ...checkSecret(
      'HEADGATE_SECRET_PREVIOUS',
      previousSecret,
      'give what HEADGATE_SECRET was before, or unset it',
    ),
  ]
}

const MAKE_ONE = 'make one, such as with "openssl rand -hex 32"'

function checkSecret(path: string, value: string | undefined, advice: string): readonly ConfigProblem[] {
  if (value === undefined || isSecretText(value)) return []
  const rule = `must be ${LEAST_SECRET_CHARACTERS} or more printable characters without a space between`
  return [{ path, message: `${rule}; ${advice}` }]
}
