import type { Command } from 'commander'
import {
  type CreditView,
  creditListSchema,
  creditViewSchema,
  type GrantView,
} from '../../admin/credits/credit-contract.ts'
import { omitUndefined } from '../../kit/json/omit-undefined.ts'
import type { CommandContext } from '../command-context.ts'
import { addPageOptions, type PageOptions, writeMore } from '../options/page-options.ts'
import { readUsd, writeUsd } from '../output/usd.ts'
import { type JsonChoice, writeJson } from '../output/write-json.ts'
import { type TableColumn, writeTable } from '../output/write-table.ts'
import { withServer } from '../remote/with-server.ts'
import { writeQuery } from '../remote/write-query.ts'

export interface OwnerOptions extends JsonChoice {
  readonly key?: string
  readonly user?: string
  readonly group?: string
}

interface GrantOptions extends OwnerOptions {
  readonly usd: number
  readonly reason: string
  readonly expires?: string
}

export const creditColumns: readonly TableColumn<CreditView>[] = [
  ['OWNER', ({ owner }) => owner],
  ['LEFT', (credit) => writeUsd(credit.remaining_usd)],
  ['LAPSED', (credit) => writeUsd(credit.lapsed_usd)],
  [
    'LAPSES NEXT',
    ({ next_lapse: next }) => (next === null ? '' : `${writeUsd(next.amount_usd)} at ${next.at}`),
  ],
  ['GRANTS', ({ grants }) => String(grants.length)],
]

const grantColumns: readonly TableColumn<GrantView>[] = [
  ['WHEN', ({ at }) => at],
  ['OWNER', ({ owner }) => owner],
  ['AMOUNT', (grant) => writeUsd(grant.amount_usd)],
  ['LAPSES', (grant) => grant.expires_at ?? ''],
  ['WHO', ({ author }) => author],
  ['REASON', ({ reason }) => reason],
]

/** Adds `headgate credits …`. The running server carries it out. */
export function registerCreditCommands(program: Command, context: CommandContext): void {
  const credits = program
    .command('credits')
    .description('grant credit to keys, users and groups, and list it')
  const list = addOwner(credits.command('list').description('list credits; of one owner, its grants'))
  addPageOptions(list, ['owner', 'remaining'])
    .option('--json', 'print JSON')
    .action(({ json, ...options }: OwnerOptions & PageOptions) =>
      withServer(context, async (call) => {
        const found = await call(
          { method: 'GET', path: `/credits${writeQuery({ ...options })}` },
          creditListSchema,
        )
        if (json) return context.io.write(writeJson(found))
        if (found.data.every(({ grants }) => grants.length === 0)) return printNoCredit(found.data, context)
        context.io.write(writeTable(creditColumns, found.data))
        writeMore(found.next_after, context.io)
        if (hasOwner(options))
          context.io.write(
            `\n${writeTable(
              grantColumns,
              found.data.flatMap(({ grants }) => grants),
            )}`,
          )
      }),
    )
  addOwner(
    credits.command('grant').description('grant credit; an owner of credit can spend no more than that'),
  )
    .requiredOption('--usd <amount>', 'US dollars; below zero, credit is taken back', readUsd)
    .requiredOption('--reason <text>', 'for the grant and the audit')
    .option('--expires <when>', 'when what is not spent lapses, such as 2027-01-01 or 90d')
    .option('--json', 'print JSON')
    .action(({ json, usd, reason, expires, ...owner }: GrantOptions) =>
      withServer(context, async (call) => {
        const body = omitUndefined({ ...owner, amount_usd: usd, reason, expires_at: expires })
        const credit = await call({ method: 'POST', path: '/credits', body }, creditViewSchema)
        context.io.write(json ? writeJson(credit) : writeTable(creditColumns, [credit]))
      }),
    )
}

function hasOwner({ key, user, group }: OwnerOptions): boolean {
  return [key, user, group].some((name) => name !== undefined)
}

/** Prints a note that distinguishes an owner without credit from an owner who has spent it. */
function printNoCredit([credit]: readonly CreditView[], { io }: CommandContext): void {
  const whom = credit === undefined ? 'Nobody was ever' : `${credit.owner} was never`
  io.writeError(`${whom} granted credit: budgets alone limit what is spent.\n`)
}

export function addOwner(command: Command): Command {
  return command
    .option('--key <id|name>', 'of a key')
    .option('--user <user>', 'of a user')
    .option('--group <group>', 'of a group')
}
