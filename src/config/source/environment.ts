import type { Variables } from './substitute-variables.ts'

/** The settings of the environment. Names of Headgate's own are set apart; the file may use all of them. */
export interface Environment {
  readonly configPath: string | undefined
  readonly listen: string | undefined
  readonly dataFolder: string | undefined
  readonly workers?: string | undefined
  readonly warmUp?: string | undefined
  readonly databaseUrl: string | undefined
  readonly secret: string | undefined
  /**
   * The secret that sealed before `secret`, for the start after a change of it; unchanged, since it may be any text.
   */
  readonly previousSecret?: string | undefined
  /** The pepper of the keys' digests, as hex digits; it is made where it is not given. */
  readonly pepper?: string | undefined
  readonly adminToken: string | undefined
  readonly metricsToken?: string | undefined
  /** Whether an npm script runs the process: its shell dies of a signal without passing it on. */
  readonly isRunByNpm: boolean
  /** Whether `npm start` runs it, as in a clone. */
  readonly isStartedByNpm?: boolean
  readonly variables: Variables
}

/** The only module that reads the environment. An empty variable is treated as unset. */
export function readEnvironment(variables: Variables = process.env): Environment {
  const find = (name: string) => (variables[name] === '' ? undefined : variables[name])
  // White space at the end, which an editor or a shell leaves, could never be sent in a header; files of
  // secrets are trimmed as well.
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
    variables,
  }
}
