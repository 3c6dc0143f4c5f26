import { resolve } from 'node:path'
import { OperatorError } from '../../canonical/operator-error.ts'
import type { CommandContext } from '../command-context.ts'
import { openExistingFolder, refuseInUse } from '../open-existing-folder.ts'
import { runCommand } from '../output/run-command.ts'
import type { CallServer, DownloadFrom } from './call-server.ts'
import { askServer } from './reach-server.ts'

/**
 * Runs an operation through the running server. On failure it prints the reason in one line and sets the exit code to
 * 1.
 */
export async function withServer(
  context: CommandContext,
  work: (call: CallServer, download: DownloadFrom) => Promise<void>,
): Promise<void> {
  await runCommand(context.io, async () => {
    const folder = context.dataFolder()
    const data = openExistingFolder(folder)
    const done = await askServer(data, context, async (call, download) => {
      await work(call, download)
      return true
    })
    if (done !== undefined) return
    refuseInUse(data, folder)
    throw new OperatorError('server_not_running', `no server runs on the data folder ${resolve(folder)}`)
  })
}
