import { resolve } from 'node:path'
import type { KeysContext } from '../keys.ts'
import { openExistingFolder } from '../open-existing-folder.ts'
import { createWarner } from '../output/create-warner.ts'
import { describeError } from '../output/describe-error.ts'
import type { CallServer } from './call-server.ts'
import { reachServer } from './reach-server.ts'

/** Does something by the running server. Where that fails, says why in one line and sets the exit code to 1. */
export async function withServer(
  { dataFolder, adminToken, io }: KeysContext,
  work: (call: CallServer) => Promise<void>,
): Promise<void> {
  try {
    const folder = dataFolder()
    const data = openExistingFolder(folder)
    const done = await reachServer({
      data,
      givenToken: adminToken(),
      warn: createWarner(io),
      async ask(call) {
        await work(call)
        return true
      },
    })
    if (done === undefined) {
      throw new Error(
        `no server runs on the data folder ${resolve(folder)}; start one with "headgate serve", or name its folder with --data or its configuration file with --config`,
      )
    }
  } catch (error) {
    io.writeError(`headgate: ${describeError(error)}\n`)
    io.setExitCode(1)
  }
}
