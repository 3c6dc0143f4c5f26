import { execFile } from 'node:child_process'
import { launcher } from './program/launcher.ts'

export interface RanHeadgate {
  readonly code: number
  readonly output: string
  readonly errors: string
}

export interface RunLocation {
  /** The working folder. */
  readonly folder?: string
  readonly environment?: Readonly<Record<string, string>>
}

/** Runs the command as an operator does, in a process of its own. Never rejects. */
export function runHeadgate(
  argv: readonly string[],
  { folder, environment = {} }: RunLocation = {},
): Promise<RanHeadgate> {
  return new Promise((settle) => {
    const env = { ...process.env, ...environment }
    execFile(process.execPath, [launcher, ...argv], { cwd: folder, env }, (error, output, errors) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1
      settle({ code, output, errors })
    })
  })
}
