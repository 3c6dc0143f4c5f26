import { systemClock } from '../kit/clock.ts'
import { systemRandom } from '../kit/random.ts'
import { openDataFolder } from '../open-data-folder.ts'
import type { CallServer } from './call-server.ts'
import { createWarner } from './create-warner.ts'
import { describeError } from './describe-error.ts'
import type { KeysContext } from './keys.ts'
import { reachServer } from './reach-server.ts'

/** Does something by the running server. Where that fails, says why in one line and sets the exit code to 1. */
export async function withServer(
  { dataFolder, adminToken, io }: KeysContext,
  work: (call: CallServer) => Promise<void>,
): Promise<void> {
  try {
    const data = openDataFolder(dataFolder(), { clock: systemClock, random: systemRandom })
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
        'no server with an admin API runs on this data folder; start it with "headgate serve", or name its folder with --data',
      )
    }
  } catch (error) {
    io.writeError(`headgate: ${describeError(error)}\n`)
    io.setExitCode(1)
  }
}
