import { findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'
import { InvariantError } from '../kit/errors/invariant-error.ts'

/** The folder of Headgate itself: the clone, or the package that npm unpacked. */
export function findPackageFolder(): string {
  const file = findPackageJSON(import.meta.url)
  if (file === undefined) throw new InvariantError('no package.json stands above the source')
  return dirname(file)
}

/** The folder in which the build leaves the console. */
export function findConsoleFolder(): string {
  return join(findPackageFolder(), 'dist', 'console')
}
