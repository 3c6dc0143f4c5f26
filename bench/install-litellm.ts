import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const requirements = join(import.meta.dirname, 'litellm', 'requirements.txt')
const environment = join(import.meta.dirname, '..', 'node_modules', '.cache', 'bench-litellm')
const program = join(environment, 'bin', 'litellm')

/** Installs the peer where that was not done yet; undefined where it cannot be had, as without Python. */
export function installLitellm(): string | undefined {
  if (existsSync(program)) return program
  spawnSync('python3', ['-m', 'venv', environment], { stdio: 'ignore' })
  const pip = join(environment, 'bin', 'pip')
  spawnSync(pip, ['install', '--quiet', '--requirement', requirements], {
    stdio: 'ignore',
  })
  return existsSync(program) ? program : undefined
}
