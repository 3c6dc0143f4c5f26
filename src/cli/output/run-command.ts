import type { CommandIo } from './command-io.ts'
import { writeFailure } from './describe-error.ts'

/** Carries out a command. Where it fails, says why and sets the exit code to 1; the result is then undefined. */
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
