import type { CommandIo } from './command-io.ts'
import { writeFailure } from './describe-error.ts'

/** Runs a command. On failure it prints the reason, sets the exit code to 1 and returns undefined. */
export async function runCommand<Result>(
  io: CommandIo,
  work: () => Promise<Result> | Result,
): Promise<Result | undefined> {
  try {
    return await work()
  } catch (error) {
    io.writeError(`${writeFailure(error)}\n`)
    io.setExitCode(1)
    return undefined
  }
}
