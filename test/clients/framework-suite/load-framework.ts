import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Framework } from '../frameworks/framework.ts'
import type { FrameworkName } from '../frameworks/framework-names.ts'
import { installClient } from '../install-client.ts'
import { runCommand } from '../run-command.ts'

const folder = resolve(import.meta.dirname, '../frameworks')
const repository = resolve(import.meta.dirname, '../../..')

/** Installs the libraries: one of them needs a version of its own of what the others share. */
export async function installFrameworks(): Promise<void> {
  await installClient('frameworks')
  await installClient('frameworks/ranking')
  await checkFrameworkTypes()
}

/**
 * Checks the types of what uses the libraries. The repository's own check leaves it out: they are not installed there.
 */
async function checkFrameworkTypes(): Promise<void> {
  const { exitCode, stdout } = await runCommand({
    file: join(repository, 'node_modules/.bin/tsc'),
    args: ['--noEmit', '--project', folder],
    folder: repository,
    environment: {},
    timeoutMs: 120_000,
  })
  if (exitCode !== 0) throw new Error(`the types of ${folder} are wrong:\n${stdout}`)
}

/** A library's file, read only once the library is installed. */
export async function loadFramework(name: FrameworkName): Promise<Framework> {
  const loaded: { readonly default?: unknown } = await import(pathToFileURL(join(folder, `${name}.ts`)).href)
  if (!isFramework(loaded.default)) throw new Error(`${name}.ts exports no framework`)
  return loaded.default
}

/** Enough to tell it from another thing; the types of its file are checked. */
function isFramework(value: unknown): value is Framework {
  return typeof value === 'object' && value !== null && 'format' in value && 'connect' in value
}
