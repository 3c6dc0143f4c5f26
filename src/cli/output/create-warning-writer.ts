import type { CommandIo } from './command-io.ts'

/** Tells what a person should know though the command goes on, a line each. */
export function createWarningWriter({ writeError }: Pick<CommandIo, 'writeError'>): (line: string) => void {
  return (line) => writeError(`headgate: warning: ${line}\n`)
}
