import type { Command } from 'commander'
import {
  type BudgetView,
  budgetPageSchema,
  budgetViewSchema,
  type ForecastView,
  forecastViewSchema,
  type ValueView,
  valueListSchema,
} from '../../admin/budgets/budget-contract.ts'
import { omitUndefined } from '../../kit/json/omit-undefined.ts'
import type { CommandContext } from '../command-context.ts'
import { registerWrites } from '../objects/object-commands.ts'
import { budgetCommands } from '../objects/object-kinds.ts'
import { addPageOptions, type PageOptions, writeMore } from '../options/page-options.ts'
import { readUsd, writeUsd } from '../output/usd.ts'
import { type JsonChoice, writeJson } from '../output/write-json.ts'
import { type TableColumn, writeTable } from '../output/write-table.ts'
import { withServer } from '../remote/with-server.ts'
import { writeQuery } from '../remote/write-query.ts'

interface RaiseOptions extends JsonChoice {
  readonly by: number
  readonly until?: string
  readonly reason?: string
}

interface ValueOptions extends JsonChoice {
  readonly value?: string
  readonly reason?: string
}

const columns: readonly TableColumn<BudgetView>[] = [
  ['NAME', ({ name, value }) => (value === null ? name : `${name} ${value}`)],
  ['SCOPE', ({ scope }) => scope],
  [
    'WINDOW',
    ({ window, time_zone: zone }) => (zone === null || zone === 'UTC' ? window : `${window} ${zone}`),
  ],
  ['MODE', ({ mode }) => mode],
  ['LIMIT', ({ limit_usd: limit }) => (limit === 'unlimited' ? limit : writeUsd(limit))],
  ['RAISED', ({ raises }) => raises.map(describeRaise).join(', ')],
  ['SPENT', ({ spent_usd: spent }) => (spent === null ? 'each its own' : writeUsd(spent))],
  ['HELD', ({ held_usd: held }) => (held === null ? '' : writeUsd(held))],
  ['LEFT', ({ remaining_usd: left }) => (left === null ? '' : writeUsd(left))],
  ['RESETS', ({ resets_at: at }) => at ?? ''],
]

const valueColumns: readonly TableColumn<ValueView>[] = [
  ['VALUE', ({ value }) => value],
  ['LIMIT', ({ limit_usd: limit }) => (limit === 'unlimited' ? limit : writeUsd(limit))],
  ['SPENT', ({ spent_usd: spent }) => writeUsd(spent)],
  ['HELD', ({ held_usd: held }) => writeUsd(held)],
  ['LEFT', ({ remaining_usd: left }) => (left === null ? '' : writeUsd(left))],
  ['RESETS', ({ resets_at: at }) => at ?? ''],
]

/** Adds `headgate budgets …`. The running server carries it out. */
export function registerBudgetCommands(program: Command, context: CommandContext): void {
  const budgets = program
    .command('budgets')
    .description('list what is spent of budgets, raise them and reset them')
  registerList(budgets, context)
  budgets
    .command('show')
    .description('show a budget')
    .argument('<name>', 'such as all or key:ci/day')
    .option('--value <value>', 'of a tag of which every value has a budget of its own')
    .option('--json', 'print JSON')
    .action((name: string, { value, json }: ValueOptions) =>
      withServer(context, async (call) => {
        const query = value === undefined ? '' : `?${new URLSearchParams({ value })}`
        print(await call({ method: 'GET', path: `${pathOf(name)}${query}` }, budgetViewSchema), json, context)
      }),
    )
  registerWrites(budgets, context, budgetCommands)
  registerValues(budgets, context)
  registerForecast(budgets, context)
  registerRaise(budgets, context)
  registerReset(budgets, context)
}

interface ListOptions extends JsonChoice, PageOptions {
  readonly search?: string
  readonly scope?: string
}

function registerList(budgets: Command, context: CommandContext): void {
  const { io } = context
  const command = budgets
    .command('list')
    .description('list budgets with what is spent and what is left of them, a page at a time')
    .option('--search <text>', 'a part of the name')
    .option('--scope <scope>', 'installation, key, user, group, tag, model or channel, or one such as key:ci')
  addPageOptions(command, ['name', 'spent', 'used'])
    .option('--json', 'print JSON')
    .action(({ json, search, ...options }: ListOptions) =>
      withServer(context, async (call) => {
        const path = `/budgets${writeQuery({ q: search, ...options })}`
        const list = await call({ method: 'GET', path }, budgetPageSchema)
        if (json) return io.write(writeJson(list))
        if (list.data.length === 0) return io.writeError('There are no such budgets.\n')
        io.write(writeTable(columns, list.data))
        writeMore(list.next_after, io)
      }),
    )
}

function registerValues(budgets: Command, context: CommandContext): void {
  const { io } = context
  budgets
    .command('values')
    .description('of a budget of each value of a tag, list the values that spent most')
    .argument('<name>', 'such as key:ci/end_user/day')
    .option('--limit <count>', 'how many, at most 1000 (default 20)')
    .option('--json', 'print JSON')
    .action((name: string, { limit, json }: JsonChoice & { readonly limit?: string }) =>
      withServer(context, async (call) => {
        const query = new URLSearchParams(omitUndefined({ limit }))
        const list = await call({ method: 'GET', path: `${pathOf(name)}/values?${query}` }, valueListSchema)
        if (json) return io.write(writeJson(list))
        if (list.data.length === 0) return io.writeError('No value has spent anything of it.\n')
        io.write(writeTable(valueColumns, list.data))
        const more = list.values - list.data.length
        if (more > 0) io.writeError(`${more} more have spent less: --limit shows up to 1000.\n`)
      }),
    )
}

const forecastColumns: readonly TableColumn<ForecastView>[] = [
  ['NAME', ({ name, value }) => (value === null ? name : `${name} ${value}`)],
  ['RUNS OUT', ({ runs_out_at: at, looks_until: until }) => at ?? `not before ${until}`],
  ['ENDS WITH', ({ ends_with_usd: usd }) => (usd === null ? '' : writeUsd(usd))],
  ['METHOD', ({ method }) => method],
  ['HISTORY SINCE', ({ history_since: since }) => since ?? ''],
]

function registerForecast(budgets: Command, context: CommandContext): void {
  budgets
    .command('forecast')
    .description('say when a budget runs out and what its window comes to, by what was spent before')
    .argument('<name>', 'such as all or key:ci/day')
    .option('--value <value>', 'of a tag of which every value has a budget of its own')
    .option('--json', 'print JSON')
    .action((name: string, { value, json }: ValueOptions) =>
      withServer(context, async (call) => {
        const path = `${pathOf(name)}/forecast${writeQuery({ value })}`
        const view = await call({ method: 'GET', path }, forecastViewSchema)
        context.io.write(json ? writeJson(view) : writeTable(forecastColumns, [view]))
      }),
    )
}

function registerRaise(budgets: Command, context: CommandContext): void {
  budgets
    .command('raise')
    .description('let a budget spend more, for a while or for good')
    .argument('<name>', 'such as all or key:ci/day')
    .requiredOption('--by <usd>', 'US dollars; below zero, the limit is lower', readUsd)
    .option('--until <when>', 'such as 2027-01-01 or 30d; for good unless given')
    .option('--reason <text>', 'for the audit')
    .option('--json', 'print JSON')
    .action((name: string, { by, until, reason, json }: RaiseOptions) =>
      withServer(context, async (call) => {
        const body = omitUndefined({ by_usd: by, until, reason })
        print(
          await call({ method: 'POST', path: `${pathOf(name)}/raise`, body }, budgetViewSchema),
          json,
          context,
        )
      }),
    )
}

function registerReset(budgets: Command, context: CommandContext): void {
  budgets
    .command('reset')
    .description('let what was spent of the window of a budget be spent once more')
    .argument('<name>', 'such as all or key:ci/day')
    .option('--value <value>', 'of a tag of which every value has a budget of its own')
    .option('--reason <text>', 'for the audit')
    .option('--json', 'print JSON')
    .action((name: string, { value, reason, json }: ValueOptions) =>
      withServer(context, async (call) => {
        const body = omitUndefined({ value, reason })
        print(
          await call({ method: 'POST', path: `${pathOf(name)}/reset`, body }, budgetViewSchema),
          json,
          context,
        )
      }),
    )
}

function describeRaise({ by_usd: by, until }: BudgetView['raises'][number]): string {
  const amount = `${by < 0 ? '' : '+'}${writeUsd(by)}`
  return until === null ? amount : `${amount} until ${until}`
}

function pathOf(name: string): string {
  return `/budgets/${encodeURIComponent(name)}`
}

function print(view: BudgetView, json: true | undefined, { io }: CommandContext): void {
  io.write(json ? writeJson(view) : writeTable(columns, [view]))
}
