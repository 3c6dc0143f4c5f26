import type { Command } from 'commander'
import type { PriceView, TargetPriceView } from '../../admin/prices/price-contract.ts'
import { OperatorError } from '../../canonical/operator-error.ts'
import { runCommand } from '../output/run-command.ts'
import { writeJson } from '../output/write-json.ts'
import { type TableColumn, writeTable } from '../output/write-table.ts'
import { fetchPriceList, type PricesContext } from '../remote/fetch-price-list.ts'
import { diffPrices, type UpdateOptions, updatePrices } from './price-file-options.ts'

interface ListOptions {
  readonly source?: string
  readonly at?: string
  readonly json?: true
}

interface ShowOptions {
  readonly at?: string
  readonly json?: true
}

/** Adds `headgate prices …`. On failure a command prints the reason in one line and sets the exit code to 1. */
export function registerPricesCommand(program: Command, context: PricesContext): void {
  const prices = program.command('prices').description('show what models cost, and take a newer price table')
  registerList(prices, context)
  registerShow(prices, context)
  registerFiles(prices, context)
}

function registerList(prices: Command, context: PricesContext): void {
  prices
    .command('list')
    .description('list what is served with its prices: US dollars for a million tokens')
    .argument('[text]', 'only models, channels and versions whose names hold it')
    .option('--source <source>', 'only prices of the table, a model, a channel, a free server or none')
    .option('--at <time>', 'the prices of that time, such as 2027-01-01')
    .option('--json', 'print JSON')
    .action((text: string | undefined, options: ListOptions) =>
      runCommand(context.io, () => list(text, options, context)),
    )
}

function registerShow(prices: Command, context: PricesContext): void {
  prices
    .command('show')
    .description('show every rate of a model, where it comes from, and what it was and will be')
    .argument('<model>', 'a public name')
    .option('--at <time>', 'the price of that time, such as 2027-01-01')
    .option('--json', 'print JSON')
    .action((model: string, options: ShowOptions) =>
      runCommand(context.io, () => show(model, options, context)),
    )
}

function registerFiles(prices: Command, context: PricesContext): void {
  prices
    .command('diff')
    .description("compare the price table with LiteLLM's price file, or with another price table")
    .argument('<file>', 'model_prices_and_context_window.json, or a price table')
    .option('--json', 'print JSON')
    .action((file: string, options: { json?: true }) =>
      runCommand(context.io, () => diffPrices(file, options, context)),
    )
  prices
    .command('update')
    .description('write a newer price table into the data folder; the server takes it with its next reload')
    .argument('<file>', 'model_prices_and_context_window.json, or a price table')
    .option('--source <text>', 'what the prices are from; the name of the file if not given')
    .option(
      '--date <date>',
      'the first day of the prices that changed, such as 2027-01-31; today if not given',
    )
    .option('--json', 'print JSON')
    .action((file: string, options: UpdateOptions) =>
      runCommand(context.io, () => updatePrices(file, options, context)),
    )
}

const columns: readonly TableColumn<TargetPriceView>[] = [
  ['MODEL', ({ model }) => model],
  ['TARGET', ({ channel, upstream_model: name }) => `${channel}/${name}`],
  ['INPUT', (target) => rateOf(target, 'input')],
  ['CACHED', (target) => rateOf(target, 'cached_input')],
  ['OUTPUT', (target) => rateOf(target, 'output')],
  ['SOURCE', ({ in_force: price }) => price?.source ?? 'none'],
  ['SINCE', ({ in_force: price }) => price?.effective_from?.slice(0, 10) ?? ''],
  ['VERSION', ({ in_force: price }) => price?.version ?? ''],
]

function rateOf({ in_force: inForce }: TargetPriceView, rate: string): string {
  const dollars = inForce?.price[rate]
  return typeof dollars === 'number' ? String(dollars) : ''
}

async function list(text: string | undefined, options: ListOptions, context: PricesContext): Promise<void> {
  const found = await fetchPriceList(context, { at: options.at })
  const data = found.data.filter((target) => matches(target, text, options.source))
  context.io.write(options.json ? writeJson({ data }) : writeTable(columns, data))
}

function matches(target: TargetPriceView, text = '', source: string | undefined): boolean {
  const { model, channel, upstream_model: name, in_force: inForce } = target
  if (source !== undefined && source !== (inForce?.source ?? 'none')) return false
  return [model, `${channel}/${name}`, inForce?.version ?? ''].some((each) =>
    each.toLowerCase().includes(text.toLowerCase()),
  )
}

async function show(model: string, { at, json }: ShowOptions, context: PricesContext): Promise<void> {
  const found = await fetchPriceList(context, { model, at })
  if (found.data.length === 0) {
    throw new OperatorError('model_not_served', `no channel serves "${model}"`)
  }
  context.io.write(json ? writeJson(found) : found.data.map(writeTarget).join('\n'))
}

function writeTarget({
  channel,
  upstream_model: name,
  in_force: inForce,
  others,
  ...limits
}: TargetPriceView): string {
  const { max_input_tokens: input, max_output_tokens: output } = limits
  const lines = [
    `${channel}/${name}`,
    ...(inForce === null ? ['  no price is known: give it a "price"'] : writePrice(inForce, '')),
    ...others.flatMap((other) => writePrice(other, 'not in force: ')),
    ...(input === null && output === null
      ? []
      : [
          `  by the price table it reads at most ${input ?? 'unknown'} tokens, and writes ${output ?? 'unknown'}`,
        ]),
  ]
  return lines.map((line) => `${line}\n`).join('')
}

const reasons: Readonly<Record<PriceView['source'], string>> = {
  channel: "the channel's own price, which stands above every other",
  model: "the model's price in the configuration; the channel has none of its own",
  table: 'the price table; the configuration has no price for it',
  free: 'a server of your own, which asks nothing',
}

function writePrice({ version, source, effective_from: from, price, regions }: PriceView, state: string) {
  const since = from === null ? '' : `, from ${from.replace('T00:00:00.000Z', '')} on`
  return [
    `  ${state}${version}${since}: ${reasons[source]}`,
    ...Object.entries(price).map(([name, value]) => `    ${name}: ${writeValue(value)}`),
    ...Object.entries(regions).map(
      ([region, times]) => `    where computed in ${region}: ${times} times as much`,
    ),
  ]
}

function writeValue(value: unknown): string {
  return JSON.stringify(value).replaceAll('"', '').replaceAll(':', ': ').replaceAll(',', ', ')
}
