import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { runCommand } from './run-command.ts'

const manifestSchema = z.object({
  version: z.string().optional(),
  dependencies: z.record(z.string(), z.string()).optional(),
})

/** Installs a client from its own lockfile where that was not done yet, and gives its `node_modules`. */
export async function installClient(name: string): Promise<string> {
  const folder = resolve(import.meta.dirname, name)
  const packages = join(folder, 'node_modules')
  if (isInstalled(folder, packages)) return packages
  // `npm ci` refuses a lockfile without the packages of every platform, and not every registry has all of them; this
  // keeps to the lockfile too and leaves it as it is. No install scripts: clients are started in ways that do without,
  // and npm 12 would not run them.
  const { exitCode, stderr } = await runCommand({
    file: 'npm',
    args: ['install', '--no-save', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund'],
    folder,
    environment: npmEnvironment(),
    timeoutMs: 600_000,
  })
  if (exitCode !== 0) throw new Error(`npm install of ${name} failed: ${stderr.slice(-2_000)}`)
  return packages
}

function isInstalled(folder: string, packages: string): boolean {
  const wanted = readManifest(folder)?.dependencies ?? {}
  return Object.entries(wanted).every(
    ([dependency, version]) => readManifest(join(packages, dependency))?.version === version,
  )
}

function readManifest(folder: string) {
  try {
    return manifestSchema.parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')))
  } catch {
    return undefined
  }
}

/** The user's own settings of npm (registry, proxy, cache), without what the surrounding npm run added. */
function npmEnvironment(): Record<string, string> {
  const entries = Object.entries(process.env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !/^npm_(package|lifecycle|config_local_prefix)/.test(entry[0]),
  )
  return Object.fromEntries(entries)
}
