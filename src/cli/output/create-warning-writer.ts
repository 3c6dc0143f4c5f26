import type { CommandIo } from './command-io.ts'

/** Creates a function that writes warnings, one line each. The command continues after a warning. */
export function createWarningWriter({ writeError }: Pick<CommandIo, 'writeError'>): (line: string) => void {
  return (line) => writeError(`headgate: warning: ${line}\n`)
}
