import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { StringDecoder } from 'node:string_decoder'
import { type Command, Option } from 'commander'
import type {
  ExportRows,
  LedgerCheckView,
  LedgerOperations,
  LedgerRowView,
  ListRows,
  RowList,
} from '../../admin/ledger/ledger-contract.ts'
import { OperatorError } from '../../canonical/operator-error.ts'
import { countNoun } from '../../config/layers/summarize-config.ts'
import { errorCodeOf } from '../../kit/errors/error-code.ts'
import { omitUndefined } from '../../kit/json/omit-undefined.ts'
import { systemClock } from '../../kit/time/clock.ts'
import type { CommandContext } from '../command-context.ts'
import { addLedgerFilters, type LedgerFilterOptions, readLedgerFilters } from '../options/request-filters.ts'
import type { CommandIo } from '../output/command-io.ts'
import { saveFile } from '../output/save-file.ts'
import { showProgress } from '../output/show-progress.ts'
import { writeUsdNumber } from '../output/usd.ts'
import { type JsonChoice, writeJson } from '../output/write-json.ts'
import { type TableColumn, writeTable } from '../output/write-table.ts'
import { writeUtcTime } from '../output/write-utc-time.ts'
import { withLedger } from '../remote/reach-ledger.ts'

export interface LedgerContext extends CommandContext {
  /** Standard output as a stream, for output that is too large for one write. */
  openOutput(): Writable
}

interface RowOptions extends LedgerFilterOptions {
  readonly state?: 'settled' | 'estimated' | 'void'
}

interface ListOptions extends RowOptions {
  readonly request?: string
  readonly limit?: string
  readonly before?: string
  readonly json?: true
}

interface ExportOptions extends RowOptions {
  readonly format: 'csv' | 'jsonl'
}

/** Adds `headgate ledger …`. On failure a command prints the reason in one line and sets the exit code to 1. */
export function registerLedgerCommand(program: Command, context: LedgerContext): void {
  const ledger = program
    .command('ledger')
    .description('list and export what every attempt cost, and verify that all of it adds up')
  registerList(ledger, context)
  registerExport(ledger, context)
  registerVerify(ledger, context)
}

function stateOption(): Option {
  return new Option('--state <state>', 'in this state').choices(['settled', 'estimated', 'void'])
}

function registerList(ledger: Command, context: LedgerContext): void {
  const command = ledger.command('list').description('list rows of the ledger, newest last')
  addLedgerFilters(command)
    .addOption(stateOption())
    .option('--request <id>', 'the attempts of this request, and what corrects them')
    .option('--limit <count>', 'number of rows, at most 500 (default 50)')
    .option('--before <number>', 'only rows with a lower number')
    .option('--json', 'print JSON, newest first')
    .action((options: ListOptions) =>
      withLedger(context, async ({ ledger: operations }) => {
        const list = await readRows(operations, options)
        if (options.json) context.io.write(writeJson(list))
        else if (list.data.length === 0) context.io.writeError('No row matches.\n')
        else context.io.write(writeTable(columns, list.data.toReversed()))
      }),
    )
}

const DEFAULT_LIMIT = 50

/** Reads the requested number of rows in several pages, since the server's pages may be short. */
async function readRows(operations: LedgerOperations, options: ListOptions): Promise<RowList> {
  const { state, request, before, limit } = options
  const query: ListRows = omitUndefined({
    ...readLedgerFilters(options),
    state,
    before,
    limit,
    request_id: request,
  })
  let page = await operations.list(query)
  const data = [...page.data]
  const wanted = limit === undefined ? DEFAULT_LIMIT : Number(limit)
  while (page.next !== null && data.length < wanted) {
    const more = { before: String(page.next), limit: String(wanted - data.length) }
    page = await operations.list({ ...query, ...more })
    data.push(...page.data)
  }
  return { ...page, data }
}

const columns: readonly TableColumn<LedgerRowView>[] = [
  ['NUMBER', ({ number }) => String(number), 'right'],
  ['ENDED (UTC)', ({ ended_at }) => writeUtcTime(ended_at)],
  ['STATE', ({ state }) => state],
  ['KEY', ({ key }) => key],
  ['MODEL', ({ model }) => model],
  ['TARGET', ({ channel, upstream_model: name }) => `${channel}/${name}`],
  ['INPUT', ({ usage }) => String(usage.fresh_input_tokens), 'right'],
  ['CACHE READ', ({ usage }) => String(usage.cache_read_tokens), 'right'],
  ['CACHE WRITE', (row) => String(cacheWritesOf(row)), 'right'],
  ['OUTPUT', ({ usage }) => String(usage.output_tokens), 'right'],
  ['COST USD', (row) => writeUsdNumber(row.cost_usd), 'right'],
  ['CHARGED USD', (row) => writeUsdNumber(row.charged_usd), 'right'],
  ['FLAGS', ({ flags, corrects }) => (corrects === null ? flags : ['correction', ...flags]).join(' ')],
  ['REQUEST', ({ request_id: id, attempt }) => (attempt === 1 ? id : `${id} (${attempt})`)],
]

function cacheWritesOf({ usage }: LedgerRowView): number {
  return usage.cache_write_short_tokens + usage.cache_write_long_tokens
}

function registerExport(ledger: Command, context: LedgerContext): void {
  const command = ledger
    .command('export')
    .description('write all rows of a span, the oldest first')
    .argument('[file]', 'the file to write, which must not exist; standard output unless given, or for "-"')
  addLedgerFilters(command)
    .addOption(stateOption())
    .addOption(
      new Option('--format <format>', 'csv, or jsonl: a JSON object on each line')
        .choices(['csv', 'jsonl'])
        .default('csv'),
    )
    .action((file: string | undefined, options: ExportOptions) =>
      withLedger(context, async ({ ledger: operations }) => {
        const { format, state } = options
        const query: ExportRows = omitUndefined({ ...readLedgerFilters(options), format, state })
        if (file === undefined || file === '-') return print(await operations.export(query), context)
        const path = resolve(file)
        if (existsSync(path)) throw new OperatorError('file_exists', `${path} exists already`)
        const rows = await operations.export(query)
        await saveFile(path, showProgress(rows, { io: context.io, work: 'export', clock: systemClock }))
        context.io.writeError(`${path} is written.\n`)
      }),
    )
}

/** Prints rows as they are read. Control characters are escaped for a terminal. */
async function print(rows: AsyncIterable<Buffer>, { io, openOutput }: LedgerContext): Promise<void> {
  if (io.isTerminal) return printToTerminal(rows, io)
  try {
    await pipeline(rows, openOutput(), { end: false })
  } catch (error) {
    // A reader such as `head` closes the pipe when it has enough lines.
    if (errorCodeOf(error) !== 'EPIPE') throw error
  }
}

async function printToTerminal(rows: AsyncIterable<Buffer>, io: CommandIo): Promise<void> {
  const decoder = new StringDecoder('utf8')
  for await (const chunk of rows) io.write(decoder.write(chunk))
}

function registerVerify(ledger: Command, context: LedgerContext): void {
  ledger
    .command('verify')
    .description('compare every row with the sums of usage and with what budgets have spent')
    .option('--json', 'print JSON')
    .action(({ json }: JsonChoice) =>
      withLedger(context, async ({ ledger: operations }) => {
        const check = await operations.verify()
        context.io.write(json ? writeJson(check) : writeCheck(check))
        if (!check.adds_up) context.io.setExitCode(1)
      }),
    )
}

function writeCheck(check: LedgerCheckView): string {
  const { rows, pruned_rows: pruned, windows, open_intents: open, differences } = check
  const deleted = pruned === 0 ? '' : ` and the sums of ${pruned} deleted ones`
  const compared = `${countNoun(rows, 'row')}${deleted}, ${countNoun(windows, 'window')} of budgets, ${countNoun(open, 'attempt')} in progress`
  if (check.adds_up) return `The ledger adds up: ${compared}.\n`
  const hidden = check.difference_count - differences.length
  const lines = [
    `The ledger does not add up: ${countNoun(check.difference_count, 'difference')} in ${compared}.`,
    ...differences.map((difference) => `  ${difference}`),
    ...(hidden === 0 ? [] : [`  and ${hidden} more`]),
  ]
  return lines.map((line) => `${line}\n`).join('')
}
