import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const folder = join(import.meta.dirname, 'litellm')
const environment = join(folder, '.venv')
const program = join(environment, 'bin', 'litellm')

/** Installs the peer where that was not done yet; undefined where it cannot be had, as without Python. */
export function installLitellm(): string | undefined {
  if (existsSync(program)) return program
  spawnSync('python3', ['-m', 'venv', environment], { stdio: 'ignore' })
  const pip = join(environment, 'bin', 'pip')
  spawnSync(pip, ['install', '--quiet', '--requirement', join(folder, 'requirements.txt')], {
    stdio: 'ignore',
  })
  return existsSync(program) ? program : undefined
}
