import type { Environment } from '../../src/config/source/environment.ts'

/** The environment of a process in which no variable of Headgate is set. */
export const noEnvironment: Environment = {
  configPath: undefined,
  listen: undefined,
  dataFolder: undefined,
  databaseUrl: undefined,
  secret: undefined,
  adminToken: undefined,
  isRunByNpm: false,
  variables: {},
}
