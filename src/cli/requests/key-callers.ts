import type { Command } from 'commander'
import { type CallerView, callerListSchema } from '../../admin/requests/caller-contract.ts'
import type { CommandContext } from '../command-context.ts'
import { type JsonChoice, writeJson } from '../output/write-json.ts'
import { type TableColumn, writeTable } from '../output/write-table.ts'
import { writeUtcTime } from '../output/write-utc-time.ts'
import { withServer } from '../remote/with-server.ts'
import { writeQuery } from '../remote/write-query.ts'

const columns: readonly TableColumn<CallerView>[] = [
  ['ADDRESS', ({ address }) => address],
  ['CLIENT', ({ client }) => client ?? ''],
  ['USER', ({ user }) => user ?? ''],
  ['REQUESTS', ({ requests }) => String(requests), 'right'],
  ['LAST (UTC)', ({ last_at: at }) => writeUtcTime(at)],
  ['MODELS', ({ models }) => models.join(', ')],
]

/** Adds `headgate keys callers` to the other commands on keys. */
export function registerKeyCallers(program: Command, context: CommandContext): void {
  const keys = program.commands.find((command) => command.name() === 'keys')
  keys
    ?.command('callers')
    .description('list the addresses and programs of the last 500 requests of a key')
    .argument('<id|name>', 'the key')
    .option('--json', 'print JSON')
    .action((key: string, { json }: JsonChoice) =>
      withServer(context, async (call) => {
        const list = await call({ method: 'GET', path: `/callers${writeQuery({ key })}` }, callerListSchema)
        if (json) return context.io.write(writeJson(list))
        if (list.data.length === 0) return context.io.writeError('No stored request has this key.\n')
        context.io.write(writeTable(columns, list.data))
      }),
    )
}
