import type { Command } from 'commander'
import { type NodeList, type NodeView, nodeListSchema } from '../../admin/nodes/node-contract.ts'
import type { CommandContext } from '../command-context.ts'
import { type JsonChoice, writeJson } from '../output/write-json.ts'
import { type TableColumn, writeTable } from '../output/write-table.ts'
import { writeUtcTime } from '../output/write-utc-time.ts'
import { withServer } from '../remote/with-server.ts'

const columns: readonly TableColumn<NodeView>[] = [
  ['NODE', ({ name, is_this: isThis }) => (isThis ? `${name} *` : name)],
  ['VERSION', ({ version }) => version],
  ['STATE', ({ state }) => state],
  ['STARTED (UTC)', ({ started_at: at }) => writeUtcTime(at)],
  ['SEEN (UTC)', ({ seen_at: at }) => writeUtcTime(at)],
  ['STREAMS', ({ streams }) => String(streams)],
  ['LEASES', ({ leases }) => String(leases)],
  ['CONFIG', ({ config_version: version }) => (version === null ? '?' : String(version))],
  ['FILE', ({ file_fingerprint: file, file_differs: differs }) => (differs ? `${file} differs` : file)],
]

/** Adds `headgate nodes`. On failure it prints the reason in one line and sets the exit code to 1. */
export function registerNodesCommand(program: Command, context: CommandContext): void {
  program
    .command('nodes')
    .description('list the nodes of the installation; "*" marks the one that answers')
    .option('--json', 'print JSON')
    .action(({ json }: JsonChoice) =>
      withServer(context, async (call) => {
        const list = await call({ method: 'GET', path: '/nodes' }, nodeListSchema)
        context.io.write(json ? writeJson(list) : writeTable(columns, list.data))
        warnOfDifference(list, context)
      }),
    )
}

function warnOfDifference({ data, files_differ: isDifferent }: NodeList, { io }: CommandContext): void {
  if (!isDifferent) return
  const names = data.filter(({ file_differs: differs }) => differs).map(({ name }) => name)
  io.writeError(
    `warning: the configuration file of ${names.join(', ')} is not the one of the other nodes; give all the same one\n`,
  )
}
