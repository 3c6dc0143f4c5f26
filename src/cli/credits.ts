import type { Command } from 'commander'
import {
  type CodeView,
  type CreditView,
  codeListSchema,
  createdCodesSchema,
  creditListSchema,
  creditViewSchema,
  type GrantView,
  revokedCodeSchema,
} from '../admin/credits/credit-contract.ts'
import { omitUndefined } from '../kit/json/omit-undefined.ts'
import type { KeysContext } from './keys.ts'
import { readUsd, writeUsd } from './output/usd.ts'
import { type TableColumn, writeTable } from './output/write-table.ts'
import { withServer } from './remote/with-server.ts'

interface JsonChoice {
  readonly json?: true
}

interface OwnerOptions extends JsonChoice {
  readonly key?: string
  readonly user?: string
  readonly group?: string
}

interface GrantOptions extends OwnerOptions {
  readonly usd: number
  readonly reason: string
  readonly expires?: string
}

interface CodeOptions extends JsonChoice {
  readonly usd: number
  readonly count?: string
  readonly reason?: string
  readonly expires?: string
  readonly creditLife?: string
}

const creditColumns: readonly TableColumn<CreditView>[] = [
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

const codeColumns: readonly TableColumn<CodeView>[] = [
  ['ID', ({ id }) => id],
  ['CODE', ({ hint }) => `${hint}…`],
  ['AMOUNT', (code) => writeUsd(code.amount_usd)],
  ['STATE', ({ state }) => state],
  ['REDEEMED BY', (code) => code.redeemed_by ?? ''],
  ['EXPIRES', (code) => code.expires_at ?? ''],
  ['CREDIT LASTS', (code) => code.credit_life ?? ''],
  ['REASON', ({ reason }) => reason],
]

/** Adds `headgate credits …` and `headgate codes …`, carried out by the running server. */
export function registerCreditCommands(program: Command, context: KeysContext): void {
  const credits = program
    .command('credits')
    .description('grant credit to keys, users and groups, and list it')
  addOwner(credits.command('list').description('list credits; of one owner, its grants'))
    .option('--json', 'print JSON')
    .action(({ json, ...owner }: OwnerOptions) =>
      withServer(context, async (call) => {
        const query = new URLSearchParams(Object.entries(omitUndefined(owner)))
        const list = await call({ method: 'GET', path: `/credits?${query}` }, creditListSchema)
        if (json) return context.io.write(writeJson(list))
        if (list.data.every(({ grants }) => grants.length === 0)) return sayNone(list.data, context)
        context.io.write(writeTable(creditColumns, list.data))
        if (query.size > 0)
          context.io.write(
            `\n${writeTable(
              grantColumns,
              list.data.flatMap(({ grants }) => grants),
            )}`,
          )
      }),
    )
  addOwner(credits.command('grant').description('grant credit; whoever has any can spend no more than that'))
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
  registerCodes(
    program.command('codes').description('create, list, redeem and revoke redemption codes'),
    context,
  )
}

/** To have no credit is not to have spent it. */
function sayNone([credit]: readonly CreditView[], { io }: KeysContext): void {
  const whom = credit === undefined ? 'Nobody was ever' : `${credit.owner} was never`
  io.writeError(`${whom} granted credit: budgets alone limit what is spent.\n`)
}

function addOwner(command: Command): Command {
  return command
    .option('--key <id|name>', 'of a key')
    .option('--user <user>', 'of a user')
    .option('--group <group>', 'of a group')
}

function registerCodes(codes: Command, context: KeysContext): void {
  const { io } = context
  codes
    .command('list')
    .description('list redemption codes, newest first')
    .option('--limit <count>', 'number of codes, at most 1000 (default 50)')
    .option('--before <number>', 'the page that begins here')
    .option('--json', 'print JSON')
    .action(({ json, limit, before }: JsonChoice & { readonly limit?: string; readonly before?: string }) =>
      withServer(context, async (call) => {
        const query = new URLSearchParams(Object.entries(omitUndefined({ limit, before })))
        const list = await call({ method: 'GET', path: `/codes?${query}` }, codeListSchema)
        if (json) return io.write(writeJson(list))
        if (list.data.length === 0)
          return io.writeError('There are no codes. Make some: headgate codes create --usd 10\n')
        io.write(writeTable(codeColumns, list.data))
        if (list.next_before !== null) io.writeError(`More: --before ${list.next_before}\n`)
      }),
    )
  codes
    .command('create')
    .description('create redemption codes and print them, once')
    .requiredOption('--usd <amount>', 'US dollars that each gives', readUsd)
    .option('--count <number>', 'how many, at most 1000 (default 1)')
    .option('--expires <when>', 'until when they can be redeemed, such as 2027-01-01 or 90d')
    .option('--credit-life <time>', 'how long the credit lasts once it is redeemed, such as 90d')
    .option('--reason <text>', 'for the grants and the audit')
    .option('--json', 'print JSON')
    .action(({ json, usd, count, reason, expires, creditLife }: CodeOptions) =>
      withServer(context, async (call) => {
        const body = omitUndefined({
          ...{ amount_usd: usd, count: count === undefined ? undefined : Number(count), reason },
          ...{ expires_at: expires, credit_life: creditLife },
        })
        const { data } = await call({ method: 'POST', path: '/codes', body }, createdCodesSchema)
        if (json) return io.write(writeJson({ data }))
        io.writeError('Created. They are shown only now:\n')
        io.write(data.map(({ code }) => `${code}\n`).join(''))
      }),
    )
  addOwner(codes.command('redeem').description('redeem a code').argument('<code>'))
    .option('--json', 'print JSON')
    .action((code: string, { json, ...owner }: OwnerOptions) =>
      withServer(context, async (call) => {
        const credit = await call(
          { method: 'POST', path: '/codes/redeem', body: { ...owner, code } },
          creditViewSchema,
        )
        io.write(json ? writeJson(credit) : writeTable(creditColumns, [credit]))
      }),
    )
  codes
    .command('revoke')
    .description('revoke a code that is not redeemed')
    .argument('<id>')
    .option('--json', 'print JSON')
    .action((id: string, { json }: JsonChoice) =>
      withServer(context, async (call) => {
        const revoked = await call(
          { method: 'DELETE', path: `/codes/${encodeURIComponent(id)}` },
          revokedCodeSchema,
        )
        io.write(json ? writeJson(revoked) : `The code ${revoked.id} is revoked.\n`)
      }),
    )
}

function writeJson(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`
}
