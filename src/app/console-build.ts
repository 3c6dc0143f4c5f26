// The location of the console: the output folder of its build, and its address.
import { findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'
import type { Config } from '../config/config.ts'
import { InvariantError } from '../kit/errors/invariant-error.ts'
import type { Listeners } from './open-listeners.ts'

/** The output folder of the console's build, and whether a build is in progress. */
export interface ConsoleBuild {
  readonly folder: string
  readonly isBuilding: () => boolean
}

/** The folder of Headgate itself: a clone, or an unpacked npm package. */
export function findPackageFolder(): string {
  const file = findPackageJSON(import.meta.url)
  if (file === undefined) throw new InvariantError('no package.json stands above the source')
  return dirname(file)
}

/** The console built by `npm run build`. No build is in progress while it is served. */
export const builtConsole: ConsoleBuild = {
  folder: join(findPackageFolder(), 'dist', 'console'),
  isBuilding: () => false,
}

/**
 * The address of the console: the public address of the callers if they share a listener, else that of its own
 * listener.
 */
export function findConsoleUrl(
  { admin, publicUrl }: Pick<Config, 'admin' | 'publicUrl'>,
  listeners: Pick<Listeners, 'callers' | 'admin'>,
): string | undefined {
  const url = admin.type === 'shared' ? (publicUrl ?? listeners.callers.url) : listeners.admin?.url
  return url === undefined ? undefined : `${url}/console`
}
