import { meSchema } from '../../admin/people/people-contract.ts'
import { openLocalPeople } from '../../app/open-people.ts'
import type { CommandContext } from '../command-context.ts'
import { describeOffline, openExistingFolder } from '../open-existing-folder.ts'
import { createWarningWriter } from '../output/create-warning-writer.ts'
import { runCommand } from '../output/run-command.ts'
import { askServer } from '../remote/reach-server.ts'
import { createLocalPeople, createRemotePeople, type PeopleClient } from './people-client.ts'

/**
 * Runs an operation on people through the running server, else on the data folder. On failure it prints the reason in
 * one line and sets the exit code to 1.
 */
export async function withPeople(
  context: CommandContext,
  work: (people: PeopleClient) => Promise<void>,
): Promise<void> {
  const { dataFolder, io } = context
  await runCommand(io, async () => {
    await using cleanup = new AsyncDisposableStack()
    const folder = dataFolder()
    const data = openExistingFolder(folder)
    const remote = await askServer(data, context, async (call) => {
      await call({ method: 'GET', path: '/me' }, meSchema)
      return createRemotePeople(call)
    })
    if (remote !== undefined) return await work(remote)
    const local = await openLocalPeople(data, createWarningWriter(io))
    cleanup.defer(() => local.close())
    io.writeError(describeOffline(folder))
    await work(createLocalPeople(local.operations, local.signOn))
  })
}
