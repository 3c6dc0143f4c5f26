import type { Variables } from './substitute-variables.ts'

/**
 * The settings of the environment. Headgate's own variables have fields of their own. The file may use all variables.
 */
export interface Environment {
  readonly configPath: string | undefined
  readonly listen: string | undefined
  readonly dataFolder: string | undefined
  readonly workers?: string | undefined
  readonly warmUp?: string | undefined
  readonly databaseUrl: string | undefined
  readonly secret: string | undefined
  /** The secret before `secret`, for the first start after it changed. It is not trimmed, since it may be any text. */
  readonly previousSecret?: string | undefined
  /** The pepper of the keys' digests, as hex digits. It is generated where it is not given. */
  readonly pepper?: string | undefined
  readonly adminToken: string | undefined
  readonly metricsToken?: string | undefined
  /** Whether an npm script runs the process. The script's shell dies of a signal without forwarding it. */
  readonly isRunByNpm: boolean
  /** Whether `npm start` runs the process, as in a clone. */
  readonly isStartedByNpm?: boolean
  /** Whether a script of Headgate's own package runs the process. A clone has the command only as such a script. */
  readonly isRunFromClone?: boolean
  readonly variables: Variables
}

/** Reads the environment. This is the only module that does. An empty variable is treated as unset. */
export function readEnvironment(variables: Variables = process.env): Environment {
  const find = (name: string) => (variables[name] === '' ? undefined : variables[name])
  // A header cannot carry the trailing white space that an editor or a shell leaves. Files of secrets are trimmed as
  // well.
  const findSecret = (name: string) => find(name)?.trim()
  return {
    configPath: find('HEADGATE_CONFIG'),
    listen: find('HEADGATE_LISTEN'),
    dataFolder: find('HEADGATE_DATA'),
    workers: find('HEADGATE_WORKERS'),
    warmUp: find('HEADGATE_WARM_UP'),
    databaseUrl: find('HEADGATE_DATABASE_URL'),
    secret: findSecret('HEADGATE_SECRET'),
    previousSecret: find('HEADGATE_SECRET_PREVIOUS'),
    pepper: findSecret('HEADGATE_PEPPER'),
    adminToken: findSecret('HEADGATE_ADMIN_TOKEN'),
    metricsToken: findSecret('HEADGATE_METRICS_TOKEN'),
    isRunByNpm: find('npm_lifecycle_event') !== undefined,
    isStartedByNpm: find('npm_lifecycle_event') === 'start',
    isRunFromClone: find('npm_package_name') === 'headgate',
    variables,
  }
}

/**
 * The forms of the secret before, which may have sealed values: trimmed, as the current secret is, and as it was given,
 * since it may be any text.
 */
export function earlierSecretsOf({ previousSecret }: Pick<Environment, 'previousSecret'>): readonly string[] {
  return previousSecret === undefined ? [] : [...new Set([previousSecret.trim(), previousSecret])]
}
