import { resolve } from 'node:path'
import type { Command } from 'commander'
import { askForRestart } from '../../app/supervisor/restart-socket.ts'
import { OperatorError } from '../../canonical/operator-error.ts'
import type { CommandContext } from '../command-context.ts'
import { openExistingFolder } from '../open-existing-folder.ts'
import { runCommand } from '../output/run-command.ts'
import { askServer } from '../remote/reach-server.ts'
import { RESTARTED } from './supervise.ts'

/** Adds `headgate restart`. On failure it prints the reason in one line and sets the exit code to 1. */
export function registerRestartCommand(program: Command, context: CommandContext): void {
  program
    .command('restart')
    .description('replace all processes by new ones while callers are served; waits until the new ones serve')
    .action(() => runCommand(context.io, () => restart(context)))
}

async function restart(context: CommandContext): Promise<void> {
  const { dataFolder, io } = context
  const folder = dataFolder()
  const data = openExistingFolder(folder)
  const outcome = await askForRestart(folder)
  if (outcome?.type === 'restarted') {
    io.write(`${RESTARTED}\n`)
    return
  }
  if (outcome !== undefined)
    throw new OperatorError(
      'restart_failed',
      `not restarted, the previous processes go on: ${outcome.reason}`,
    )
  const pid = await askServer(data, context, async () => data.server.read()?.pid)
  if (pid === undefined)
    throw new OperatorError('server_not_running', `no server runs on the data folder ${resolve(folder)}`)
  throw new OperatorError(
    'server_not_supervised',
    `the server of this data folder (process ${pid}) has no supervisor, which alone can replace its processes while it serves`,
  )
}
