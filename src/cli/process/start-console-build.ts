import { spawn } from 'node:child_process'
import { existsSync, globSync, statSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { builtConsole, type ConsoleBuild, findPackageFolder } from '../../app/console-build.ts'
import type { Environment } from '../../config/source/environment.ts'
import type { Terminal } from '../config/check.ts'

export interface StoppableBuild extends ConsoleBuild {
  /** Stops a build in progress. The next start begins a new one. */
  readonly stop: () => void
}

/** The source files of the console in a clone. */
const SOURCES = ['console/**/*.{ts,tsx,css,html,json}', 'src/admin/**/*-{contract,fields}.ts']

/**
 * Builds the console of a clone next to the gateway, where `npm start` finds no build or an outdated one. The build is
 * a separate process with a lower priority than the gateway. Callers are served from the first moment.
 */
export function buildConsole(
  { isStartedByNpm = false }: Pick<Environment, 'isStartedByNpm'>,
  { printError }: Pick<Terminal, 'printError'>,
): StoppableBuild {
  const root = findPackageFolder()
  const { folder } = builtConsole
  const script = join(root, 'scripts', 'build-console.ts')
  if (!isStartedByNpm || !existsSync(script) || isBuilt(root, folder))
    return { ...builtConsole, stop: () => undefined }
  const child = spawn(process.execPath, [script], { cwd: root, stdio: 'ignore' })
  let isBuilding = true
  const end = (problem: string | undefined) => {
    if (isBuilding && problem !== undefined)
      printError(`headgate: warning: the console was not built (${problem}); see: npm ci && npm run build`)
    isBuilding = false
  }
  child.once('error', (error) => end(error.message))
  child.once('exit', (code, signal) => end(code === 0 ? undefined : `exit ${code ?? signal}`))
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW)
  return {
    folder,
    isBuilding: () => isBuilding,
    stop() {
      isBuilding = false
      child.kill()
    },
  }
}

function isBuilt(root: string, folder: string): boolean {
  const list = join(folder, 'files.json')
  if (!existsSync(list)) return false
  const builtAtMs = statSync(list).mtimeMs
  const paths = globSync(SOURCES, { cwd: root, exclude: ['**/node_modules/**', '**/*.test.*'] })
  return paths.every((path) => statSync(join(root, path)).mtimeMs <= builtAtMs)
}
