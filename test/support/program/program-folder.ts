import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

export const repository = resolve(import.meta.dirname, '../../..')

/** Holds a program for each state of the source that was tested. */
export const programsFolder = join(repository, 'node_modules', '.cache', 'built-programs')

/**
 * The folder of the program that the tests start as a process: the bundle of the npm package, which starts in a fifth of
 * the processor time that the source takes. Its name holds a hash of the source, so that a change of the source is another
 * program, and clones that share their packages do not share it.
 */
export function findProgramFolder(): string {
  const files = globSync(
    ['bin/**/*.js*', 'src/**/*.{ts,json}', 'tools/**/*.{ts,json}', 'package-lock.json'],
    {
      cwd: repository,
      exclude: (path) => path.endsWith('.test.ts') || path === 'node_modules',
    },
  ).sort()
  const hash = createHash('sha256').update(repository)
  for (const file of files) hash.update(`\0${file}\0`).update(readFileSync(join(repository, file)))
  return join(programsFolder, hash.digest('hex').slice(0, 16))
}
