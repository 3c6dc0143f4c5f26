// Where the console is: in the folder that a build leaves, and at which address.
import { findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'
import type { Config } from '../config/config.ts'
import { InvariantError } from '../kit/errors/invariant-error.ts'
import type { Listeners } from './open-listeners.ts'

/** The folder that a build of the console leaves, and whether one is under way. */
export interface ConsoleBuild {
  readonly folder: string
  readonly isBuilding: () => boolean
}

/** The folder of Headgate itself: the clone, or the package that npm unpacked. */
export function findPackageFolder(): string {
  const file = findPackageJSON(import.meta.url)
  if (file === undefined) throw new InvariantError('no package.json stands above the source')
  return dirname(file)
}

/** The console of `npm run build`, which nobody builds at the moment. */
export const builtConsole: ConsoleBuild = {
  folder: join(findPackageFolder(), 'dist', 'console'),
  isBuilding: () => false,
}

/** The console's address is the callers' public one beside them, and else that of its own listener. */
export function findConsoleUrl(
  { admin, publicUrl }: Pick<Config, 'admin' | 'publicUrl'>,
  listeners: Pick<Listeners, 'callers' | 'admin'>,
): string | undefined {
  const url = admin.type === 'shared' ? (publicUrl ?? listeners.callers.url) : listeners.admin?.url
  return url === undefined ? undefined : `${url}/console`
}
