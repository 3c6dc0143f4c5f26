import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { ConsoleBuild } from '../../../src/app/console-build.ts'
import { keepBuild } from '../../support/program/old-builds.ts'

const root = resolve(import.meta.dirname, '../../..')
const sources = ['console/**/*.{ts,tsx,js,css,html,svg,json}', 'src/**/*.ts', 'scripts/build-console.ts']

/**
 * The console as its source is now. It is built once for each state of the source, beside all other builds, so that
 * tests that run at the same time share it and none replaces another's.
 */
export function buildConsole(): ConsoleBuild {
  const cache = join(root, 'node_modules', '.cache')
  const folder = join(cache, `console-${digestSources()}`)
  if (!existsSync(folder))
    execFileSync(process.execPath, [join(root, 'scripts', 'build-console.ts'), folder], { cwd: root })
  keepBuild(folder, join(cache, 'console-*'))
  return { folder, isBuilding: () => false }
}

function digestSources(): string {
  const hash = createHash('sha256')
  const paths = globSync(sources, { cwd: root, exclude: ['**/node_modules/**', '**/*.test.*'] })
  for (const path of paths.toSorted()) hash.update(`${path}\n`).update(readFileSync(join(root, path)))
  return hash.digest('hex').slice(0, 16)
}
