import type { Command } from 'commander'
import {
  type CodeView,
  codeListSchema,
  createdCodesSchema,
  creditViewSchema,
  revokedCodeSchema,
} from '../../admin/credits/credit-contract.ts'
import { omitUndefined } from '../../kit/json/omit-undefined.ts'
import type { CommandContext } from '../command-context.ts'
import { readUsd, writeUsd } from '../output/usd.ts'
import { type JsonChoice, writeJson } from '../output/write-json.ts'
import { type TableColumn, writeTable } from '../output/write-table.ts'
import { withServer } from '../remote/with-server.ts'
import { writeQuery } from '../remote/write-query.ts'
import { addOwner, creditColumns, type OwnerOptions } from './credits.ts'

interface ListOptions extends JsonChoice {
  readonly limit?: string
  readonly before?: string
}

interface CreateOptions extends JsonChoice {
  readonly usd: number
  readonly count?: string
  readonly reason?: string
  readonly expires?: string
  readonly creditLife?: string
}

const columns: readonly TableColumn<CodeView>[] = [
  ['ID', ({ id }) => id],
  ['CODE', ({ hint }) => `${hint}…`],
  ['AMOUNT', (code) => writeUsd(code.amount_usd)],
  ['STATE', ({ state }) => state],
  ['REDEEMED BY', (code) => code.redeemed_by ?? ''],
  ['EXPIRES', (code) => code.expires_at ?? ''],
  ['CREDIT LASTS', (code) => code.credit_life ?? ''],
  ['REASON', ({ reason }) => reason],
]

/** Adds `headgate codes …`. The running server carries it out. */
export function registerCodeCommands(program: Command, context: CommandContext): void {
  const codes = program.command('codes').description('create, list, redeem and revoke redemption codes')
  registerList(codes, context)
  registerCreate(codes, context)
  registerRedeem(codes, context)
  registerRevoke(codes, context)
}

function registerList(codes: Command, context: CommandContext): void {
  const { io } = context
  codes
    .command('list')
    .description('list redemption codes, newest first')
    .option('--limit <count>', 'number of codes, at most 1000 (default 50)')
    .option('--before <number>', 'the page that begins here')
    .option('--json', 'print JSON')
    .action(({ json, limit, before }: ListOptions) =>
      withServer(context, async (call) => {
        const list = await call(
          { method: 'GET', path: `/codes${writeQuery({ limit, before })}` },
          codeListSchema,
        )
        if (json) return io.write(writeJson(list))
        if (list.data.length === 0)
          return io.writeError('There are no codes. Make some: headgate codes create --usd 10\n')
        io.write(writeTable(columns, list.data))
        if (list.next_before !== null) io.writeError(`More: --before ${list.next_before}\n`)
      }),
    )
}

function registerCreate(codes: Command, context: CommandContext): void {
  const { io } = context
  codes
    .command('create')
    .description('create redemption codes and print them, once')
    .requiredOption('--usd <amount>', 'US dollars that each gives', readUsd)
    .option('--count <number>', 'how many, at most 1000 (default 1)')
    .option('--expires <when>', 'until when they can be redeemed, such as 2027-01-01 or 90d')
    .option('--credit-life <time>', 'how long the credit lasts once it is redeemed, such as 90d')
    .option('--reason <text>', 'for the grants and the audit')
    .option('--json', 'print JSON')
    .action(({ json, usd, count, reason, expires, creditLife }: CreateOptions) =>
      withServer(context, async (call) => {
        const body = omitUndefined({
          amount_usd: usd,
          count: count === undefined ? undefined : Number(count),
          reason,
          expires_at: expires,
          credit_life: creditLife,
        })
        const { data } = await call({ method: 'POST', path: '/codes', body }, createdCodesSchema)
        if (json) return io.write(writeJson({ data }))
        io.writeError('Created. They are shown only now:\n')
        io.write(data.map(({ code }) => `${code}\n`).join(''))
      }),
    )
}

function registerRedeem(codes: Command, context: CommandContext): void {
  addOwner(codes.command('redeem').description('redeem a code').argument('<code>'))
    .option('--json', 'print JSON')
    .action((code: string, { json, ...owner }: OwnerOptions) =>
      withServer(context, async (call) => {
        const body = { ...owner, code }
        const credit = await call({ method: 'POST', path: '/codes/redeem', body }, creditViewSchema)
        context.io.write(json ? writeJson(credit) : writeTable(creditColumns, [credit]))
      }),
    )
}

function registerRevoke(codes: Command, context: CommandContext): void {
  codes
    .command('revoke')
    .description('revoke a code that is not redeemed')
    .argument('<id>')
    .option('--json', 'print JSON')
    .action((id: string, { json }: JsonChoice) =>
      withServer(context, async (call) => {
        const path = `/codes/${encodeURIComponent(id)}`
        const revoked = await call({ method: 'DELETE', path }, revokedCodeSchema)
        context.io.write(json ? writeJson(revoked) : `The code ${revoked.id} is revoked.\n`)
      }),
    )
}
