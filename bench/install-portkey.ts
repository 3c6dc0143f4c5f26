import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const folder = join(import.meta.dirname, 'portkey')
const program = join(folder, 'node_modules', '@portkey-ai', 'gateway', 'build', 'start-server.js')

/** Installs the peer from its own lockfile where that was not done yet; undefined where it cannot be had. */
export async function installPortkey(): Promise<string | undefined> {
  if (existsSync(program)) return program
  const args = ['ci', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund']
  spawnSync('npm', args, { stdio: 'ignore' })
  return existsSync(program) ? program : undefined
}
