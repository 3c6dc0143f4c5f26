import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * Shows every stored request that failed as `headgate logs show` does on a terminal, and looks for control characters.
 */
export async function showsNoControlCharacters(dataFolder: string): Promise<boolean> {
  const { stdout } = await headgate(dataFolder, 'logs', '--json')
  const ids = new Set([...stdout.matchAll(/req_[0-9a-f-]{36}/g)].map(([id]) => id))
  const shown = [stdout]
  for (const id of [...ids].slice(0, 50)) shown.push((await headgate(dataFolder, 'logs', 'show', id)).stdout)
  // C0 but for the line break and the tab, DEL, C1, and what turns the direction of text.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  const forbidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/
  return ids.size > 0 && !shown.some((text) => forbidden.test(text))
}

function headgate(dataFolder: string, ...words: readonly string[]) {
  const launcher = join(import.meta.dirname, '..', '..', '..', 'bin', 'headgate.js')
  return run(process.execPath, [launcher, ...words, '--data', dataFolder], { maxBuffer: 64 * 1024 * 1024 })
}
